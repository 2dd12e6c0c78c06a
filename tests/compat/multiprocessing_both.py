"""multiprocessing by fork and by spawn: pools, queues, semaphores, locks, shared values and shared memory."""

import multiprocessing
from multiprocessing import shared_memory

import compat


def square(number):
    return number * number


def count_up(lock, counter):
    for _ in range(100):
        with lock:
            counter.value += 1


def put_answer(queue, semaphore):
    with semaphore:
        queue.put(42)


def add_to_block(name):
    block = shared_memory.SharedMemory(name=name)
    block.buf[0] += 1
    block.close()


def exercise(method):
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        compat.equal(pool.map(square, range(10)), [n * n for n in range(10)])
    lock, counter = context.Lock(), context.Value("i", 0, lock=False)
    queue, semaphore = context.Queue(), context.Semaphore(1)
    workers = [context.Process(target=count_up, args=(lock, counter)) for _ in range(3)]
    workers.append(context.Process(target=put_answer, args=(queue, semaphore)))
    for worker in workers:
        worker.start()
    compat.equal(queue.get(timeout=30), 42)
    for worker in workers:
        worker.join()
    compat.equal(counter.value, 300)


def fork():
    exercise("fork")


def spawn():
    exercise("spawn")


def forkserver():
    exercise("forkserver")


def shared_block():
    block = shared_memory.SharedMemory(create=True, size=4096)
    worker = multiprocessing.get_context("spawn").Process(target=add_to_block, args=(block.name,))
    worker.start()
    worker.join()
    value = block.buf[0]
    block.close()
    block.unlink()
    compat.equal(value, 1)


if __name__ == "__main__":
    compat.run(fork, spawn, forkserver, shared_block)
