"""A stream of events, whoever reads it: what arrives goes in, events come out, and a broken connection is taken up again."""

from __future__ import annotations

import json
from typing import Iterator, List, Optional

from . import calls, models

PATIENCE = 5  # connections in a row that brought nothing


class Decoder:
    """Server-sent events from bytes. Only line feeds end lines: text may hold every other separator."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: List[str] = []

    def feed(self, piece: bytes) -> Iterator[str]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text.startswith("data:"):
                self._data.append(text[5:].lstrip(" ") if text.startswith("data: ") else text[5:])
            elif not text and self._data:
                yield "\n".join(self._data)
                self._data = []


class EventStream:
    """The events of one execution over as many connections as it takes."""

    def __init__(self, sandbox: str, first: calls.Call[models.Execution]):
        self._sandbox = sandbox
        self._first = first
        self._decoder = Decoder()
        self._failures = 0
        self.execution: Optional[str] = None
        self.last = 0
        self.is_over = False

    def next_call(self) -> calls.Call[models.Execution]:
        self._decoder = Decoder()
        return self._first if self.execution is None else calls.events(self._sandbox, self.execution, self.last)

    def feed(self, piece: bytes) -> Iterator[models.Event]:
        for text in self._decoder.feed(piece):
            event = models.Event(json.loads(text))
            if event.number <= self.last:
                continue
            self.last = event.number
            self._failures = 0
            if event.type == "started":
                self.execution = event.raw["execution"]
            self.is_over = event.type == "ended"
            yield event

    def may_go_on(self) -> bool:
        """After a connection that ended too early. Without the id of the execution there is nothing to come back to."""
        self._failures += 1
        return self.execution is not None and self._failures < PATIENCE

    def note_location(self, location: Optional[str]) -> None:
        """The answer's head names the execution before its first event does."""
        if location and "/executions/" in location and self.execution is None:
            self.execution = location.rsplit("/", 1)[1]
