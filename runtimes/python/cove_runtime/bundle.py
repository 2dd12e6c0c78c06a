"""An event as bytes: a header line, JSON, and behind it what is binary."""

import base64
import binascii
import json
import math

from .channel import MAX_PAYLOAD

# Types whose value is binary; IPython hands some of them over in base64.
_BINARY = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"}
_MAX_DEPTH = 100


def pieces(event):
    """The event as a list of byte strings whose sum is the bundle."""
    binary = []
    if "data" in event:
        event = dict(event, data=_without_bytes(event["data"], binary))
    text = to_json(event)
    return [b"%d\n" % len(text), text, *binary]


def payloads(bundle):
    """(verb, byte strings) for each message that the bundle needs."""
    if sum(map(len, bundle)) <= MAX_PAYLOAD:
        yield "event", bundle
        return
    whole = memoryview(b"".join(bundle))
    for start in range(0, len(whole), MAX_PAYLOAD):
        last = start + MAX_PAYLOAD >= len(whole)
        yield "event" if last else "part", [whole[start:start + MAX_PAYLOAD]]


def to_json(value):
    """UTF-8, and always JSON: what JSON has no word for becomes null (NaN) or its str()."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except Exception:
        text = json.dumps(_plain(value, _MAX_DEPTH), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")  # half a surrogate pair is no character


def _without_bytes(data, binary):
    result = {}
    offset = 0
    for mime, value in data.items():
        raw = _as_bytes(mime, value)
        if raw is None:
            result[str(mime)] = value
            continue
        result[str(mime)] = {"bytes": [offset, len(raw)]}
        binary.append(raw)
        offset += len(raw)
    return result


def _as_bytes(mime, value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if mime in _BINARY and isinstance(value, str):
        try:
            return base64.b64decode(value)
        except (binascii.Error, ValueError):
            return None
    return None


def _plain(value, depth):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth and isinstance(value, dict):
        return {_text(key): _plain(inner, depth - 1) for key, inner in value.items()}
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner, depth - 1) for inner in value]
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        inner = value.tolist()
        return _plain(inner, depth - 1) if depth else _text(inner)
    return _text(value)


def _text(value):
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__} without a text>"
