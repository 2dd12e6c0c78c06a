"""What the server answers, as objects. A field that a newer server adds is ignored here and stands in `raw`."""

from __future__ import annotations

import base64
import dataclasses
import datetime
from typing import Any, Dict, List, Mapping, Optional

DATA = "application/vnd.cove.dataframe+json"
CHART = "application/vnd.cove.chart+json"


def time_of(text: Optional[str]) -> Optional[datetime.datetime]:
    if text is None:
        return None
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return moment + datetime.timedelta(microseconds=int((fraction + "000000")[:6]))


class Bundle:
    """One thing in several MIME types."""

    def __init__(self, data: Mapping[str, Any], metadata: Optional[Mapping[str, Any]] = None, main: bool = False):
        self.formats: Dict[str, Any] = dict(data)
        self.metadata = dict(metadata or {})
        self.main = main

    def _bytes(self, mime: str) -> Optional[bytes]:
        value = self.formats.get(mime)
        return None if value is None else base64.b64decode(value)

    @property
    def text(self) -> Optional[str]:
        return self.formats.get("text/plain")

    @property
    def html(self) -> Optional[str]:
        return self.formats.get("text/html")

    @property
    def markdown(self) -> Optional[str]:
        return self.formats.get("text/markdown")

    @property
    def latex(self) -> Optional[str]:
        return self.formats.get("text/latex")

    @property
    def svg(self) -> Optional[str]:
        return self.formats.get("image/svg+xml")

    @property
    def json(self) -> Any:
        return self.formats.get("application/json")

    @property
    def png(self) -> Optional[bytes]:
        return self._bytes("image/png")

    @property
    def jpeg(self) -> Optional[bytes]:
        return self._bytes("image/jpeg")

    @property
    def pdf(self) -> Optional[bytes]:
        return self._bytes("application/pdf")

    @property
    def data(self) -> Optional[Dict[str, Any]]:
        """A data frame as columns, dtypes, index, data and rows."""
        return self.formats.get(DATA)

    @property
    def chart(self) -> Optional[Dict[str, Any]]:
        """What a figure shows, as data."""
        return self.formats.get(CHART)

    def __repr__(self) -> str:
        return f"Result({', '.join(self.formats)}{', main' if self.main else ''})"


Result = Bundle


@dataclasses.dataclass
class CodeError:
    """What the code raised."""

    name: str
    value: str
    traceback: str

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


@dataclasses.dataclass
class OutputFile:
    path: str
    content: Optional[bytes]
    error: Optional[str]


@dataclasses.dataclass
class Execution:
    """One run of code or of a command, and how it ended: `cause` is "ok", "error", "timeout", "out_of_memory", …"""

    id: str
    sandbox: str
    kind: str
    state: str
    cause: Optional[str]
    exit_code: Optional[int]
    signal: Optional[int]
    stdout: str
    stderr: str
    results: List[Result]
    error: Optional[CodeError]
    notices: List[str]
    outputs: List[OutputFile]
    receipt: Dict[str, Any]
    raw: Dict[str, Any] = dataclasses.field(repr=False)

    @property
    def ok(self) -> bool:
        return self.cause == "ok"

    @property
    def main(self) -> Optional[Result]:
        """The value of the last expression."""
        return next((one for one in self.results if one.main), None)

    def _first(self, name: str) -> Any:
        found = (getattr(one, name) for one in sorted(self.results, key=lambda one: not one.main))
        return next((value for value in found if value is not None), None)

    @property
    def text(self) -> Optional[str]:
        """The value of the last expression as text; None when there was none."""
        return self.main.text if self.main else None

    @property
    def png(self) -> Optional[bytes]:
        """The first picture."""
        return self._first("png")

    @property
    def html(self) -> Optional[str]:
        return self._first("html")

    @property
    def data(self) -> Optional[Dict[str, Any]]:
        """The first data frame."""
        return self._first("data")

    @property
    def chart(self) -> Optional[Dict[str, Any]]:
        return self._first("chart")

    def output(self, path: str) -> bytes:
        """A file of `outputs`."""
        for one in self.outputs:
            if one.path == path:
                if one.content is None:
                    raise FileNotFoundError(f"{path}: {one.error}")
                return one.content
        raise KeyError(f"{path} was not among the outputs that were asked for")


def output_file(told: Mapping[str, Any]) -> OutputFile:
    content = told.get("content")
    failure = told.get("error") or {}
    return OutputFile(told["path"], None if content is None else base64.b64decode(content), failure.get("message"))


def execution(told: Dict[str, Any]) -> Execution:
    failure = told.get("error")
    return Execution(
        id=told["id"], sandbox=told["sandbox"], kind=told["kind"], state=told["state"], cause=told.get("cause"), exit_code=told.get("exit_code"),
        signal=told.get("signal"), stdout=told["stdout"], stderr=told["stderr"],
        results=[Result(one["data"], one.get("metadata"), one["main"]) for one in told["results"]],
        error=CodeError(failure["name"], failure["value"], failure["traceback"]) if failure else None,
        notices=list(told.get("notices") or []), outputs=[output_file(one) for one in told.get("outputs") or []],
        receipt=told.get("receipt") or {}, raw=told)


class Event(Bundle):
    """One thing that happened in a run: started, stdout, stderr, display, result, error, notice, ended, …"""

    def __init__(self, raw: Dict[str, Any]):
        super().__init__(raw.get("data") or {}, raw.get("metadata"), raw.get("type") == "result")
        self.raw = raw
        self.type: str = raw["type"]
        self.number: int = raw["number"]

    @property
    def text(self) -> Optional[str]:
        """What was written, noticed or displayed."""
        return self.raw["text"] if "text" in self.raw else super().text

    @property
    def cause(self) -> Optional[str]:
        """Of the last one."""
        return self.raw.get("cause")

    @property
    def error(self) -> Optional[CodeError]:
        return CodeError(self.raw["name"], self.raw["value"], self.raw["traceback"]) if self.type == "error" else None

    def __repr__(self) -> str:
        return f"Event({self.number}, {self.type}, {self.text!r})"


@dataclasses.dataclass
class SandboxInfo:
    id: str
    name: Optional[str]
    state: str
    cause: Optional[str]
    template: str
    labels: Dict[str, str]
    limits: Dict[str, Any]
    created_at: Optional[datetime.datetime]
    expires_at: Optional[datetime.datetime]
    ended_at: Optional[datetime.datetime]
    raw: Dict[str, Any] = dataclasses.field(repr=False)


def sandbox_info(told: Dict[str, Any]) -> SandboxInfo:
    return SandboxInfo(
        id=told["id"], name=told.get("name"), state=told["state"], cause=told.get("cause"), template=told["template"], labels=dict(told.get("labels") or {}),
        limits=dict(told.get("limits") or {}), created_at=time_of(told["created_at"]), expires_at=time_of(told.get("expires_at")),
        ended_at=time_of(told.get("ended_at")), raw=told)


@dataclasses.dataclass
class Entry:
    """A file, directory or link."""

    path: str
    kind: str
    size: int
    mode: str
    modified_at: Optional[datetime.datetime]
    target: Optional[str]
    raw: Dict[str, Any] = dataclasses.field(repr=False)


def entry(told: Dict[str, Any]) -> Entry:
    return Entry(told["path"], told["kind"], told["size"], told["mode"], time_of(told["modified_at"]), told.get("target"), told)


@dataclasses.dataclass
class Context:
    """An interpreter that keeps its state."""

    id: str
    language: str
    state: str
    raw: Dict[str, Any] = dataclasses.field(repr=False)


def context(told: Dict[str, Any]) -> Context:
    return Context(told["id"], told["language"], told["state"], told)


@dataclasses.dataclass
class Process:
    """A program in the background."""

    id: str
    pid: Optional[int]
    state: str
    cause: Optional[str]
    exit_code: Optional[int]
    raw: Dict[str, Any] = dataclasses.field(repr=False)


def process(told: Dict[str, Any]) -> Process:
    return Process(told["id"], told.get("pid"), told["state"], told.get("cause"), told.get("exit_code"), told)
