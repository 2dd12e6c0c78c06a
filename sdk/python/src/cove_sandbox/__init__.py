"""Cove from Python: sandboxes that run code, keep its state and cannot hurt anything outside themselves."""

from .async_client import AsyncCove, AsyncFiles, AsyncSandbox
from .client import Cove, Files, Sandbox
from .errors import (
    Conflict, ConnectionFailed, CoveError, DiskFull, Forbidden, Gone, InvalidRequest, NotFound, TooLarge, TooMany, Unauthorized, Unavailable, Unsupported,
)
from .models import CodeError, Context, Entry, Event, Execution, OutputFile, Process, Result, SandboxInfo

__all__ = [
    "AsyncCove", "AsyncFiles", "AsyncSandbox", "CodeError", "Conflict", "ConnectionFailed", "Context", "Cove", "CoveError", "DiskFull", "Entry", "Event",
    "Execution", "Files", "Forbidden", "Gone", "InvalidRequest", "NotFound", "OutputFile", "Process", "Result", "Sandbox", "SandboxInfo", "TooLarge", "TooMany",
    "Unauthorized", "Unavailable", "Unsupported",
]
