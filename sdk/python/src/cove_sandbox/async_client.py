"""The client that does not block: AsyncCove, AsyncSandbox and its AsyncFiles. The same calls as in client.py."""

from __future__ import annotations

import os
from typing import Any, AsyncIterator, BinaryIO, Dict, List, Mapping, Optional, Sequence, Union

import anyio.to_thread

from . import calls, models, settings
from .errors import NotFound
from .streams import EventStream
from .transport import CHUNK, LONG, AsyncTransport, answer

ContextLike = Union[None, str, models.Context]


class AsyncCove:
    """A server. Arguments win over COVE_URL and COVE_API_KEY, and these over the profile."""

    def __init__(self, url: Optional[str] = None, api_key: Optional[str] = None):
        self.transport = AsyncTransport(settings.find(url, api_key))

    async def create(self, **wish: Any) -> AsyncSandbox:
        return AsyncSandbox(self, await self.transport.send(calls.create(**wish)))

    async def get(self, sandbox: str) -> AsyncSandbox:
        return AsyncSandbox(self, await self.transport.send(calls.get(sandbox)))

    async def list(self, **filters: Any) -> AsyncIterator[models.SandboxInfo]:
        cursor: Optional[str] = None
        while True:
            page = await self.transport.send(calls.list_sandboxes(cursor, **filters))
            for one in page.items:
                yield one
            cursor = page.next_cursor
            if cursor is None:
                return

    async def execute(self, code: Optional[str] = None, **wish: Any) -> models.Execution:
        return await self.transport.send(calls.execute(code, **wish))

    async def templates(self) -> List[Dict[str, Any]]:
        return (await self.transport.send(calls.list_templates())).items

    async def close(self) -> None:
        await self.transport.close()

    async def __aenter__(self) -> AsyncCove:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def pieces_of(file: BinaryIO) -> AsyncIterator[bytes]:
    while piece := await anyio.to_thread.run_sync(file.read, CHUNK):
        yield piece


class AsyncFiles:
    """The files of a sandbox. Paths are absolute, or relative to the home."""

    def __init__(self, sandbox: str, transport: AsyncTransport):
        self._sandbox = sandbox
        self._transport = transport

    def _request(self, method: str, path: str, **options: Any) -> Any:
        return self._transport.client.build_request(method, calls.file_route(self._sandbox, path), timeout=LONG, **options)

    async def read(self, path: str) -> bytes:
        async with self._transport.open(self._request("GET", path)) as response:
            return await response.aread()

    async def read_text(self, path: str, encoding: str = "utf-8") -> str:
        return (await self.read(path)).decode(encoding)

    async def stream(self, path: str) -> AsyncIterator[bytes]:
        async with self._transport.open(self._request("GET", path)) as response:
            async for piece in response.aiter_bytes(CHUNK):
                yield piece

    async def write(self, path: str, content: Union[str, bytes, AsyncIterator[bytes]], mode: Optional[str] = None, size: Optional[int] = None) -> int:
        """The whole file at once, or not at all; its size. `size` of a stream lets the server refuse early."""
        body = content.encode() if isinstance(content, str) else content
        headers = {"Content-Type": "application/octet-stream", **({} if size is None else {"Content-Length": str(size)})}
        call = calls.Call("PUT", "", lambda told: int(told["size"]))
        return answer(call, await self._transport.exchange(self._request("PUT", path, content=body, params=calls.given(mode=mode), headers=headers)))

    async def upload(self, local: Union[str, os.PathLike], path: str) -> int:
        with open(local, "rb") as file:
            return await self.write(path, pieces_of(file), size=os.fstat(file.fileno()).st_size)

    async def download(self, path: str, local: Union[str, os.PathLike]) -> int:
        draft = f"{os.fspath(local)}.part"
        try:
            with open(draft, "wb") as file:
                async for piece in self.stream(path):
                    await anyio.to_thread.run_sync(file.write, piece)
                size = file.tell()
            os.replace(draft, local)
            return size
        except BaseException:
            if os.path.exists(draft):
                os.unlink(draft)
            raise

    async def list(self, path: str = ".", depth: int = 1) -> AsyncIterator[models.Entry]:
        cursor: Optional[str] = None
        while True:
            page = await self._transport.send(calls.list_directory(self._sandbox, path, depth, cursor))
            for one in page.items:
                yield one
            cursor = page.next_cursor
            if cursor is None:
                return

    async def stat(self, path: str) -> models.Entry:
        return await self._transport.send(calls.stat(self._sandbox, path))

    async def exists(self, path: str) -> bool:
        try:
            await self.stat(path)
        except NotFound:
            return False
        return True

    async def make_directory(self, path: str) -> None:
        await self._transport.send(calls.make_directory(self._sandbox, path))

    async def move(self, source: str, target: str, overwrite: bool = True) -> None:
        await self._transport.send(calls.move(self._sandbox, source, target, overwrite))

    async def remove(self, path: str, recursive: bool = False) -> None:
        await self._transport.send(calls.remove(self._sandbox, path, recursive))

    async def signed_url(self, path: str, method: str = "GET", expires: float = 3600) -> str:
        return await self._transport.send(calls.sign(self._sandbox, path, method, expires))


class AsyncSandbox:
    """One sandbox. As an async context manager it ends with the block."""

    def __init__(self, cove: AsyncCove, info: models.SandboxInfo, owns_client: bool = False):
        self.id = info.id
        self.info = info
        self.files = AsyncFiles(info.id, cove.transport)
        self._cove = cove
        self._send = cove.transport.send
        self._owns_client = owns_client

    @classmethod
    async def create(cls, url: Optional[str] = None, api_key: Optional[str] = None, **wish: Any) -> AsyncSandbox:
        cove = AsyncCove(url, api_key)
        try:
            return cls(cove, await cove.transport.send(calls.create(**wish)), owns_client=True)
        except BaseException:
            await cove.close()
            raise

    @classmethod
    async def connect(cls, sandbox: str, url: Optional[str] = None, api_key: Optional[str] = None) -> AsyncSandbox:
        cove = AsyncCove(url, api_key)
        try:
            return cls(cove, await cove.transport.send(calls.get(sandbox)), owns_client=True)
        except BaseException:
            await cove.close()
            raise

    async def run(self, code: str, language: Optional[str] = None, context: ContextLike = None, **options: Any) -> models.Execution:
        return await self._send(calls.run(self.id, code, language, context, **options))

    def stream(self, code: str, language: Optional[str] = None, context: ContextLike = None, **options: Any) -> AsyncIterator[models.Event]:
        return self._cove.transport.events(EventStream(self.id, calls.run(self.id, code, language, context, stream="sse", **options)))

    async def command(self, command: Union[str, Sequence[str]], **options: Any) -> models.Execution:
        return await self._send(calls.command(self.id, command, **options))

    def stream_command(self, command: Union[str, Sequence[str]], **options: Any) -> AsyncIterator[models.Event]:
        return self._cove.transport.events(EventStream(self.id, calls.command(self.id, command, stream="sse", **options)))

    def attach(self, execution: str, after: int = 0) -> AsyncIterator[models.Event]:
        return self._cove.transport.events(EventStream(self.id, calls.events(self.id, execution, after)))

    async def execution(self, execution: str) -> models.Execution:
        return await self._send(calls.get_execution(self.id, execution))

    async def cancel(self, execution: str) -> models.Execution:
        return await self._send(calls.cancel(self.id, execution))

    async def create_context(self, language: Optional[str] = None, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None) -> models.Context:
        return await self._send(calls.create_context(self.id, language, cwd, env))

    async def contexts(self) -> List[models.Context]:
        return (await self._send(calls.list_contexts(self.id))).items

    async def restart_context(self, context: Union[str, models.Context]) -> models.Context:
        return await self._send(calls.change_context(self.id, context, "restart"))

    async def interrupt_context(self, context: Union[str, models.Context]) -> models.Context:
        return await self._send(calls.change_context(self.id, context, "interrupt"))

    async def delete_context(self, context: Union[str, models.Context]) -> None:
        await self._send(calls.delete_context(self.id, context))

    async def start(self, command: Union[str, Sequence[str]], **options: Any) -> models.Process:
        return await self._send(calls.start(self.id, command, **options))

    async def processes(self, state: Optional[str] = None) -> List[models.Process]:
        return (await self._send(calls.list_processes(self.id, state))).items

    async def wait(self, process: str, timeout: float = 60) -> models.Process:
        return await self._send(calls.wait(self.id, process, timeout))

    async def kill(self, process: str) -> models.Process:
        return await self._send(calls.kill(self.id, process))

    async def update(self, ttl: Optional[float] = None, idle_timeout: Optional[float] = None, labels: Optional[Mapping[str, str]] = None) -> models.SandboxInfo:
        self.info = await self._send(calls.patch(self.id, ttl, idle_timeout, labels))
        return self.info

    async def touch(self) -> models.SandboxInfo:
        self.info = await self._send(calls.touch(self.id))
        return self.info

    async def refresh(self) -> models.SandboxInfo:
        self.info = await self._send(calls.get(self.id))
        return self.info

    async def close(self) -> None:
        try:
            self.info = await self._send(calls.delete(self.id))
        finally:
            if self._owns_client:
                await self._cove.close()

    async def __aenter__(self) -> AsyncSandbox:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncSandbox({self.id})"
