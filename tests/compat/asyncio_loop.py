"""asyncio: tasks, timeouts, a server and its client, a subprocess, work in threads, signals."""

import asyncio
import os
import signal

import compat


def tasks():
    async def main():
        return await asyncio.gather(*(asyncio.sleep(0.001, i) for i in range(100)))

    compat.equal(asyncio.run(main()), list(range(100)))


def timeout():
    async def main():
        try:
            await asyncio.wait_for(asyncio.sleep(60), 0.01)
        except asyncio.TimeoutError:
            return "timed out"

    compat.equal(asyncio.run(main()), "timed out")


def server():
    async def echo(reader, writer):
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()

    async def main():
        listener = await asyncio.start_server(echo, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
        writer.write(b"hello\n")
        answer = await reader.readline()
        writer.close()
        listener.close()
        return answer

    compat.equal(asyncio.run(main()), b"hello\n")


def subprocess():
    async def main():
        child = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
        output, _ = await child.communicate(b"hello")
        return output, child.returncode

    compat.equal(asyncio.run(main()), (b"hello", 0))


def threads_and_signals():
    async def main():
        caught = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, caught.set)
        await asyncio.to_thread(os.kill, os.getpid(), signal.SIGUSR1)
        await asyncio.wait_for(caught.wait(), 30)

    asyncio.run(main())


compat.run(tasks, timeout, server, subprocess, threads_and_signals)
