"""What the server refuses, as exceptions: one class for each code that a caller may want to tell apart."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class CoveError(Exception):
    """A request that was refused or failed. Code that fails inside a sandbox is none: see Execution.error."""

    def __init__(self, message: str, code: str = "internal", status: int = 0, hint: Optional[str] = None,
                 details: Optional[Mapping[str, Any]] = None, request_id: Optional[str] = None, retry_after: Optional[float] = None):
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.code = code
        self.status = status
        self.hint = hint
        self.details = dict(details or {})
        self.request_id = request_id
        self.retry_after = retry_after


class InvalidRequest(CoveError):
    pass


class Unauthorized(CoveError):
    pass


class Forbidden(CoveError):
    pass


class NotFound(CoveError):
    pass


class Conflict(CoveError):
    pass


class Gone(CoveError):
    """The sandbox has ended; details["cause"] says how."""


class TooLarge(CoveError):
    pass


class TooMany(CoveError):
    """As many as there may be; retry_after says when to try again."""


class Unavailable(CoveError):
    """The host has no room, or the server is not there."""


class DiskFull(CoveError):
    pass


class Unsupported(CoveError):
    pass


class ConnectionFailed(Unavailable):
    """Nobody answered."""


BY_CODE = {
    "invalid_request": InvalidRequest,
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "conflict": Conflict,
    "gone": Gone,
    "payload_too_large": TooLarge,
    "too_many_requests": TooMany,
    "unavailable": Unavailable,
    "disk_full": DiskFull,
    "unsupported": Unsupported,
}


def error_of(status: int, headers: Mapping[str, str], document: Any) -> CoveError:
    """From an answer; also from one that a proxy in between has made."""
    told = document.get("error") if isinstance(document, dict) else None
    if not isinstance(told, dict):
        told = {"code": "unavailable" if status in (502, 503, 504) else "internal", "message": f"the server answered with status {status}"}
    code = str(told.get("code"))
    retry = headers.get("retry-after", "")
    return BY_CODE.get(code, CoveError)(
        str(told.get("message")), code, status, told.get("hint"), told.get("details"), headers.get("x-request-id"), float(retry) if retry.isdigit() else None)
