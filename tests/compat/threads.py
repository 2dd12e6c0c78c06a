"""Threads: many at once, locks, conditions, queues, a barrier, thread-local data."""

import queue
import threading

import compat


def many():
    done = []
    threads = [threading.Thread(target=done.append, args=(i,)) for i in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    compat.equal(sorted(done), list(range(64)))


def barrier():
    meeting = threading.Barrier(8, timeout=30)
    order = []
    threads = [threading.Thread(target=lambda: order.append(meeting.wait())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    compat.equal(sorted(order), list(range(8)))


def producer_and_consumer():
    items, results = queue.Queue(maxsize=2), []

    def consume():
        while (item := items.get()) is not None:
            results.append(item)

    consumer = threading.Thread(target=consume)
    consumer.start()
    for item in [*range(100), None]:
        items.put(item, timeout=30)
    consumer.join()
    compat.equal(results, list(range(100)))


def timer():
    fired = threading.Event()
    threading.Timer(0.01, fired.set).start()
    compat.equal(fired.wait(30), True)


compat.run(many, barrier, producer_and_consumer, timer)
