"""Every request of the API as a value, made in one place for the sync and the async client. Nothing here sends anything."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any, Callable, Dict, Generic, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union
from urllib.parse import quote

from . import models

T = TypeVar("T")
Content = Union[str, bytes]
HOME = "/home/user"


@dataclasses.dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    read: Callable[[Any], T]  # makes the answer from its JSON
    query: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    takes_long: bool = False  # as long as the code in the sandbox does: the server has the deadline


@dataclasses.dataclass(frozen=True)
class Page(Generic[T]):
    items: List[T]
    next_cursor: Optional[str]


def page_of(read: Callable[[Any], T]) -> Callable[[Any], Page[T]]:
    return lambda told: Page([read(one) for one in told["items"]], told["next_cursor"])


def nothing(_: Any) -> None:
    return None


def given(**fields: Any) -> Dict[str, Any]:
    """Only what was said: everything else has the server's default."""
    return {name: value for name, value in fields.items() if value is not None}


def at(sandbox: str, *parts: str) -> str:
    return "/".join(["/v1/sandboxes", quote(sandbox, safe=""), *parts])


def file_route(sandbox: str, path: str) -> str:
    """A relative path begins at the home, as everywhere in the API."""
    whole = path if path.startswith("/") else f"{HOME}/{path}"
    parts = [quote(part, safe="") for part in whole.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"{path}: '..' is not resolved here; say the whole path")
    return at(sandbox, "files", *parts)


def input_files(files: Optional[Mapping[str, Content]]) -> Optional[List[Dict[str, str]]]:
    if files is None:
        return None
    told = []
    for path, content in files.items():
        if isinstance(content, str):
            told.append({"path": path, "content": content, "encoding": "utf8"})
        else:
            told.append({"path": path, "content": base64.b64encode(content).decode(), "encoding": "base64"})
    return told


def limits(cpus: Optional[float], memory_mb: Optional[int], disk_mb: Optional[int], max_processes: Optional[int], timeout: Optional[float] = None) -> Optional[Dict[str, Any]]:
    return given(cpus=cpus, memory_mb=memory_mb, disk_mb=disk_mb, max_processes=max_processes, timeout=timeout) or None


def wanted_outputs(outputs: Optional[Iterable[str]]) -> Optional[List[str]]:
    return None if outputs is None else list(outputs)


# Sandboxes.


def create(template: Optional[str] = None, runtime: Optional[str] = None, name: Optional[str] = None, labels: Optional[Mapping[str, str]] = None,
           ttl: Optional[float] = None, idle_timeout: Optional[float] = None, env: Optional[Mapping[str, str]] = None, cpus: Optional[float] = None,
           memory_mb: Optional[int] = None, disk_mb: Optional[int] = None, max_processes: Optional[int] = None, timeout: Optional[float] = None,
           project: Optional[str] = None) -> Call[models.SandboxInfo]:
    body = given(template=template, runtime=runtime, name=name, labels=labels, ttl=ttl, idle_timeout=idle_timeout, env=env, project=project,
                 limits=limits(cpus, memory_mb, disk_mb, max_processes, timeout))
    return Call("POST", "/v1/sandboxes", models.sandbox_info, body=body)


def get(sandbox: str) -> Call[models.SandboxInfo]:
    return Call("GET", at(sandbox), models.sandbox_info)


def list_sandboxes(cursor: Optional[str] = None, **filters: Any) -> Call[Page[models.SandboxInfo]]:
    return Call("GET", "/v1/sandboxes", page_of(models.sandbox_info), query=given(cursor=cursor, **filters))


def patch(sandbox: str, ttl: Optional[float] = None, idle_timeout: Optional[float] = None, labels: Optional[Mapping[str, str]] = None) -> Call[models.SandboxInfo]:
    return Call("PATCH", at(sandbox), models.sandbox_info, body=given(ttl=ttl, idle_timeout=idle_timeout, labels=labels))


def delete(sandbox: str) -> Call[models.SandboxInfo]:
    return Call("DELETE", at(sandbox), models.sandbox_info)


def touch(sandbox: str) -> Call[models.SandboxInfo]:
    return Call("POST", at(sandbox, "touch"), models.sandbox_info)


# Runs.


def context_id(context: Union[None, str, models.Context]) -> Optional[str]:
    return context.id if isinstance(context, models.Context) else context


def run(sandbox: str, code: str, language: Optional[str] = None, context: Union[None, str, models.Context] = None, timeout: Optional[float] = None,
        input: Optional[str] = None, files: Optional[Mapping[str, Content]] = None, outputs: Optional[Iterable[str]] = None,
        stream: Optional[str] = None) -> Call[models.Execution]:
    body = given(code=code, language=language, context=context_id(context), timeout=timeout, input=input, files=input_files(files),
                 outputs=wanted_outputs(outputs), stream=stream)
    return Call("POST", at(sandbox, "executions"), models.execution, body=body, takes_long=True)


def program(command: Union[str, Sequence[str]]) -> Dict[str, Any]:
    """A line for a shell, or a program and its arguments."""
    return {"command": command} if isinstance(command, str) else {"argv": list(command)}


def command(sandbox: str, what: Union[str, Sequence[str]], cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None, timeout: Optional[float] = None,
            input: Optional[str] = None, files: Optional[Mapping[str, Content]] = None, outputs: Optional[Iterable[str]] = None,
            stream: Optional[str] = None) -> Call[models.Execution]:
    body = {**program(what), **given(cwd=cwd, env=env, timeout=timeout, input=input, files=input_files(files), outputs=wanted_outputs(outputs), stream=stream)}
    return Call("POST", at(sandbox, "commands"), models.execution, body=body, takes_long=True)


def execute(code: Optional[str] = None, command: Union[None, str, Sequence[str]] = None, language: Optional[str] = None, template: Optional[str] = None,
            runtime: Optional[str] = None, timeout: Optional[float] = None, env: Optional[Mapping[str, str]] = None, input: Optional[str] = None,
            files: Optional[Mapping[str, Content]] = None, outputs: Optional[Iterable[str]] = None, cpus: Optional[float] = None,
            memory_mb: Optional[int] = None, disk_mb: Optional[int] = None, max_processes: Optional[int] = None) -> Call[models.Execution]:
    what = {} if command is None else program(command)
    body = {**what, **given(code=code, language=language, template=template, runtime=runtime, timeout=timeout, env=env, input=input,
                            files=input_files(files), outputs=wanted_outputs(outputs), limits=limits(cpus, memory_mb, disk_mb, max_processes))}
    return Call("POST", "/v1/execute", models.execution, body=body, takes_long=True)


def get_execution(sandbox: str, execution: str) -> Call[models.Execution]:
    return Call("GET", at(sandbox, "executions", quote(execution, safe="")), models.execution)


def cancel(sandbox: str, execution: str) -> Call[models.Execution]:
    return Call("DELETE", at(sandbox, "executions", quote(execution, safe="")), models.execution)


def events(sandbox: str, execution: str, after: int = 0) -> Call[models.Execution]:
    return Call("GET", at(sandbox, "executions", quote(execution, safe=""), "events"), models.execution, query={"after": after}, takes_long=True)


# Contexts.


def create_context(sandbox: str, language: Optional[str] = None, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None) -> Call[models.Context]:
    return Call("POST", at(sandbox, "contexts"), models.context, body=given(language=language, cwd=cwd, env=env))


def list_contexts(sandbox: str) -> Call[Page[models.Context]]:
    return Call("GET", at(sandbox, "contexts"), page_of(models.context))


def change_context(sandbox: str, context: Union[str, models.Context], verb: str) -> Call[models.Context]:
    return Call("POST", at(sandbox, "contexts", quote(str(context_id(context)), safe=""), verb), models.context)


def delete_context(sandbox: str, context: Union[str, models.Context]) -> Call[None]:
    return Call("DELETE", at(sandbox, "contexts", quote(str(context_id(context)), safe="")), nothing)


# Processes.


def start(sandbox: str, what: Union[str, Sequence[str]], cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
          timeout: Optional[float] = None) -> Call[models.Process]:
    return Call("POST", at(sandbox, "processes"), models.process, body={**program(what), **given(cwd=cwd, env=env, timeout=timeout)})


def list_processes(sandbox: str, state: Optional[str] = None) -> Call[Page[models.Process]]:
    return Call("GET", at(sandbox, "processes"), page_of(models.process), query=given(state=state))


def kill(sandbox: str, process: str) -> Call[models.Process]:
    return Call("DELETE", at(sandbox, "processes", quote(process, safe="")), models.process)


def wait(sandbox: str, process: str, timeout: float) -> Call[models.Process]:
    return Call("GET", at(sandbox, "processes", quote(process, safe=""), "wait"), models.process, query={"timeout": timeout}, takes_long=True)


# Files.


def stat(sandbox: str, path: str) -> Call[models.Entry]:
    return Call("GET", at(sandbox, "stat"), models.entry, query={"path": path})


def list_directory(sandbox: str, path: str, depth: int = 1, cursor: Optional[str] = None) -> Call[Page[models.Entry]]:
    return Call("GET", at(sandbox, "list"), page_of(models.entry), query=given(path=path, depth=depth, cursor=cursor))


def make_directory(sandbox: str, path: str) -> Call[None]:
    return Call("POST", at(sandbox, "mkdir"), nothing, body={"path": path})


def move(sandbox: str, source: str, target: str, overwrite: bool = True) -> Call[None]:
    return Call("POST", at(sandbox, "move"), nothing, body={"from": source, "to": target, "overwrite": overwrite})


def remove(sandbox: str, path: str, recursive: bool = False) -> Call[None]:
    return Call("DELETE", file_route(sandbox, path), nothing, query={"recursive": recursive})


def sign(sandbox: str, path: str, method: str = "GET", expires: float = 3600) -> Call[str]:
    return Call("POST", at(sandbox, "signed-urls"), lambda told: str(told["url"]), body={"path": path, "method": method, "expires": expires})


# The server.


def list_templates() -> Call[Page[Dict[str, Any]]]:
    return Call("GET", "/v1/templates", page_of(dict))


def query_of(call: Call[Any]) -> List[Tuple[str, str]]:
    return [(name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in call.query.items()]


def headers_of(call: Call[Any]) -> Dict[str, str]:
    return {} if call.body is None else {"Content-Type": "application/json"}


def content_of(call: Call[Any]) -> Optional[bytes]:
    return None if call.body is None else json.dumps(call.body, ensure_ascii=False).encode()
