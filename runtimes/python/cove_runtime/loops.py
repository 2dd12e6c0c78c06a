"""The event loop of top-level await. It is one per context, so that tasks and connections outlive their cell."""

import asyncio
import contextvars
import threading


class Loops:
    def __init__(self):
        self._loop = None
        self._interrupted = None
        self._plain_run = asyncio.run
        self._plain_create_task = asyncio.create_task

    def before_cell(self):
        """asyncio.run() leaves its thread without a loop, and get_event_loop() then fails: the context's own takes its place."""
        self._interrupted = None
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        asyncio.run = self._run_anywhere
        asyncio.create_task = self._create_task_anywhere

    def end(self):
        """Nothing of it is left, also for a fork."""
        self._loop.close()
        self._loop = None
        asyncio.set_event_loop(None)

    def run(self, coroutine):
        """What IPython calls for a cell that awaits."""
        task = self._loop.create_task(coroutine)
        try:
            return self._loop.run_until_complete(task)
        except (KeyboardInterrupt, SystemExit) as stopped:
            if task.done():
                raise
            # It struck while the cell was waiting: let the cell see where.
            self._interrupted = stopped
            task.cancel()
            return self._loop.run_until_complete(task)

    def was_interrupted(self, value):
        return self._interrupted is not None and isinstance(value, asyncio.CancelledError)

    def _run_anywhere(self, main, **options):
        """asyncio.run(), also in a cell that awaits: there a loop runs already, so this one runs in a thread beside it."""
        if asyncio._get_running_loop() is None:
            return self._plain_run(main, **options)
        return _Beside(main, options, self._plain_run).result()

    def _create_task_anywhere(self, coro, **options):
        """asyncio.create_task(), also in a cell that awaits nothing: the task goes on whenever a later one does."""
        if asyncio._get_running_loop() is None and threading.current_thread() is threading.main_thread():
            return self._loop.create_task(coro, **options)
        return self._plain_create_task(coro, **options)


class _Beside:
    def __init__(self, main, options, run):
        self._main = main
        self._outcome = None
        self._loop = None
        self._run = run
        self._options = options
        self._thread = threading.Thread(target=contextvars.copy_context().run, args=(self._work,), daemon=True)

    def result(self):
        self._thread.start()
        try:
            self._thread.join()
        except BaseException:
            self._stop()
            raise
        value, error = self._outcome
        if error is not None:
            raise error
        return value

    def _work(self):
        try:
            self._outcome = (self._run(self._noted(), **self._options), None)
        except BaseException as error:
            self._outcome = (None, error)

    async def _noted(self):
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        return await self._main

    def _stop(self):
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(1)
