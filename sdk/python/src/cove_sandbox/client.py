"""The client that waits: Cove, Sandbox and its Files."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import calls, models, settings
from .errors import NotFound
from .streams import EventStream
from .transport import CHUNK, LONG, Transport, answer

ContextLike = Union[None, str, models.Context]


class Cove:
    """A server. Arguments win over COVE_URL and COVE_API_KEY, and these over the profile."""

    def __init__(self, url: Optional[str] = None, api_key: Optional[str] = None):
        self.transport = Transport(settings.find(url, api_key))

    def create(self, **wish: Any) -> Sandbox:
        """template, runtime, name, labels, ttl, idle_timeout, env, cpus, memory_mb, disk_mb, max_processes, timeout, project."""
        return Sandbox(self, self.transport.send(calls.create(**wish)))

    def get(self, sandbox: str) -> Sandbox:
        return Sandbox(self, self.transport.send(calls.get(sandbox)))

    def list(self, **filters: Any) -> Iterator[models.SandboxInfo]:
        """Newest first; state, template, label ("key:value"), owner, created_after, created_before."""
        cursor: Optional[str] = None
        while True:
            page = self.transport.send(calls.list_sandboxes(cursor, **filters))
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def execute(self, code: Optional[str] = None, **wish: Any) -> models.Execution:
        """Makes a sandbox, runs one thing, ends it."""
        return self.transport.send(calls.execute(code, **wish))

    def templates(self) -> List[Dict[str, Any]]:
        return self.transport.send(calls.list_templates()).items

    def close(self) -> None:
        self.transport.close()

    def __enter__(self) -> Cove:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Files:
    """The files of a sandbox. Paths are absolute, or relative to the home."""

    def __init__(self, sandbox: str, transport: Transport):
        self._sandbox = sandbox
        self._transport = transport

    def _request(self, method: str, path: str, **options: Any) -> Any:
        return self._transport.client.build_request(method, calls.file_route(self._sandbox, path), timeout=LONG, **options)

    def read(self, path: str) -> bytes:
        with self._transport.open(self._request("GET", path)) as response:
            return response.read()

    def read_text(self, path: str, encoding: str = "utf-8") -> str:
        return self.read(path).decode(encoding)

    def stream(self, path: str) -> Iterator[bytes]:
        """Piece by piece: a file may be larger than memory."""
        with self._transport.open(self._request("GET", path)) as response:
            yield from response.iter_bytes(CHUNK)

    def write(self, path: str, content: Union[str, bytes, BinaryIO], mode: Optional[str] = None) -> int:
        """The whole file at once, or not at all; its size."""
        body = content.encode() if isinstance(content, str) else content
        call = calls.Call("PUT", "", lambda told: int(told["size"]))
        request = self._request("PUT", path, content=body, params=calls.given(mode=mode), headers={"Content-Type": "application/octet-stream"})
        return answer(call, self._transport.exchange(request))

    def upload(self, local: Union[str, os.PathLike], path: str) -> int:
        with open(local, "rb") as file:
            return self.write(path, file)

    def download(self, path: str, local: Union[str, os.PathLike]) -> int:
        """What is at `local` is replaced when all has come."""
        draft = f"{os.fspath(local)}.part"
        try:
            with open(draft, "wb") as file:
                for piece in self.stream(path):
                    file.write(piece)
                size = file.tell()
            os.replace(draft, local)
            return size
        except BaseException:
            if os.path.exists(draft):
                os.unlink(draft)
            raise

    def list(self, path: str = ".", depth: int = 1) -> Iterator[models.Entry]:
        cursor: Optional[str] = None
        while True:
            page = self._transport.send(calls.list_directory(self._sandbox, path, depth, cursor))
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def stat(self, path: str) -> models.Entry:
        return self._transport.send(calls.stat(self._sandbox, path))

    def exists(self, path: str) -> bool:
        try:
            self.stat(path)
        except NotFound:
            return False
        return True

    def make_directory(self, path: str) -> None:
        self._transport.send(calls.make_directory(self._sandbox, path))

    def move(self, source: str, target: str, overwrite: bool = True) -> None:
        self._transport.send(calls.move(self._sandbox, source, target, overwrite))

    def remove(self, path: str, recursive: bool = False) -> None:
        self._transport.send(calls.remove(self._sandbox, path, recursive))

    def signed_url(self, path: str, method: str = "GET", expires: float = 3600) -> str:
        """Good without a key, for `expires` seconds."""
        return self._transport.send(calls.sign(self._sandbox, path, method, expires))


class Sandbox:
    """One sandbox. As a context manager it ends with the block."""

    def __init__(self, cove: Cove, info: models.SandboxInfo, owns_client: bool = False):
        self.id = info.id
        self.info = info
        self.files = Files(info.id, cove.transport)
        self._cove = cove
        self._send = cove.transport.send
        self._owns_client = owns_client

    @classmethod
    def create(cls, url: Optional[str] = None, api_key: Optional[str] = None, **wish: Any) -> Sandbox:
        """A sandbox with a client of its own; the arguments are those of Cove and of Cove.create."""
        cove = Cove(url, api_key)
        try:
            return cls(cove, cove.transport.send(calls.create(**wish)), owns_client=True)
        except BaseException:
            cove.close()
            raise

    @classmethod
    def connect(cls, sandbox: str, url: Optional[str] = None, api_key: Optional[str] = None) -> Sandbox:
        cove = Cove(url, api_key)
        try:
            return cls(cove, cove.transport.send(calls.get(sandbox)), owns_client=True)
        except BaseException:
            cove.close()
            raise

    def run(self, code: str, language: Optional[str] = None, context: ContextLike = None, **options: Any) -> models.Execution:
        """Runs code in a context, whose state stays. timeout, input, files, outputs."""
        return self._send(calls.run(self.id, code, language, context, **options))

    def stream(self, code: str, language: Optional[str] = None, context: ContextLike = None, **options: Any) -> Iterator[models.Event]:
        """The same, told as it happens. A connection that breaks is taken up where it was."""
        return self._cove.transport.events(EventStream(self.id, calls.run(self.id, code, language, context, stream="sse", **options)))

    def command(self, command: Union[str, Sequence[str]], **options: Any) -> models.Execution:
        """A line for a shell, or a program with its arguments. cwd, env, timeout, input, files, outputs."""
        return self._send(calls.command(self.id, command, **options))

    def stream_command(self, command: Union[str, Sequence[str]], **options: Any) -> Iterator[models.Event]:
        return self._cove.transport.events(EventStream(self.id, calls.command(self.id, command, stream="sse", **options)))

    def attach(self, execution: str, after: int = 0) -> Iterator[models.Event]:
        """The events of an execution after that number."""
        return self._cove.transport.events(EventStream(self.id, calls.events(self.id, execution, after)))

    def execution(self, execution: str) -> models.Execution:
        return self._send(calls.get_execution(self.id, execution))

    def cancel(self, execution: str) -> models.Execution:
        return self._send(calls.cancel(self.id, execution))

    def create_context(self, language: Optional[str] = None, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None) -> models.Context:
        return self._send(calls.create_context(self.id, language, cwd, env))

    def contexts(self) -> List[models.Context]:
        return self._send(calls.list_contexts(self.id)).items

    def restart_context(self, context: Union[str, models.Context]) -> models.Context:
        return self._send(calls.change_context(self.id, context, "restart"))

    def interrupt_context(self, context: Union[str, models.Context]) -> models.Context:
        return self._send(calls.change_context(self.id, context, "interrupt"))

    def delete_context(self, context: Union[str, models.Context]) -> None:
        self._send(calls.delete_context(self.id, context))

    def start(self, command: Union[str, Sequence[str]], **options: Any) -> models.Process:
        """In the background. cwd, env, timeout."""
        return self._send(calls.start(self.id, command, **options))

    def processes(self, state: Optional[str] = None) -> List[models.Process]:
        return self._send(calls.list_processes(self.id, state)).items

    def wait(self, process: str, timeout: float = 60) -> models.Process:
        return self._send(calls.wait(self.id, process, timeout))

    def kill(self, process: str) -> models.Process:
        return self._send(calls.kill(self.id, process))

    def update(self, ttl: Optional[float] = None, idle_timeout: Optional[float] = None, labels: Optional[Mapping[str, str]] = None) -> models.SandboxInfo:
        self.info = self._send(calls.patch(self.id, ttl, idle_timeout, labels))
        return self.info

    def touch(self) -> models.SandboxInfo:
        self.info = self._send(calls.touch(self.id))
        return self.info

    def refresh(self) -> models.SandboxInfo:
        self.info = self._send(calls.get(self.id))
        return self.info

    def close(self) -> None:
        """Ends it, with everything in it."""
        try:
            self.info = self._send(calls.delete(self.id))
        finally:
            if self._owns_client:
                self._cove.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Sandbox({self.id})"
