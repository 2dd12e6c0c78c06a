"""How much of a value is told. Past that, it is cut or left out, and a notice says so."""

TEXT = 1 << 20  # characters of a text/plain, and of a traceback's message
RICH = 32 << 20  # characters or bytes of any other value: half a picture or half an HTML page helps nobody
BUNDLE = 64 << 20  # bytes of all values of one display together
TRACEBACK = 1 << 18
MESSAGE = 1 << 16

# What may be cut anywhere and still be read.
_CUTTABLE = {"text/plain", "text/markdown", "text/latex"}


def shorten(text, limit):
    """The text itself, or its beginning and end: the end of a traceback tells what went wrong."""
    if len(text) <= limit:
        return text
    return f"{text[:limit // 2]}\n… {len(text) - limit} characters are left out here …\n{text[-(limit - limit // 2):]}"


def fit(data, note):
    """The values of a display that fit. `note` is called with a sentence for each that does not."""
    result = {}
    for mime, value in data.items():
        size = len(value) if isinstance(value, (str, bytes, bytearray)) else 0
        if mime in _CUTTABLE and isinstance(value, str) and size > TEXT:
            note(f"{mime}: cut to {TEXT} of {size} characters")
            result[mime] = value[:TEXT] + "…"
        elif size > RICH:
            note(f"{mime}: left out, its {size} bytes are more than {RICH}")
        else:
            result[mime] = value
    return result
