"""The frames of a sandbox's control socket, written from their description and not with Cove's own code."""

import socket
import struct

VERSION = 4
START, INPUT, SIGNAL, ACKNOWLEDGE, STAY, LIST, ATTACH, RESIZE = 0x100, 0x101, 0x102, 0x106, 0x107, 0x108, 0x109, 0x10A
HELLO, STARTED, OUTPUT, ENDED, FAILED, DONE, FOUND = 0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x20A
STDOUT, STDERR = 1, 2
_HEADER = struct.Struct("<III")


def _text(value):
    return struct.pack("<I", len(value)) + value


def _texts(values):
    return struct.pack("<I", len(values)) + b"".join(_text(value.encode()) for value in values)


def start(argv, deadline_ms=0, output_cap=1 << 20, window=None):
    """`window`: rows and columns of a terminal, which brings input with it."""
    environment = ["PATH=/usr/bin:/bin"]
    numbers = struct.pack("<BBQQQ", 0, 1 if window else 0, deadline_ms, 100, output_cap)
    terminal = struct.pack("<BII", 1, *window) if window else b"\0"
    return _texts(argv) + _texts(environment) + _text(b"/tmp") + numbers + terminal


def given(data):
    return _text(data)


class Engine:
    """A connection to init. Acknowledges nothing by itself."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(120)
        try:
            self.socket.connect(path)
            kind, _, payload = self.receive()
        except (EOFError, OSError):
            self.socket.close()
            raise
        if (kind, struct.unpack_from("<I", payload)[0]) != (HELLO, VERSION):
            raise AssertionError(f"not a greeting: {kind:#x} {payload!r}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, kind, stream, payload=b""):
        self.socket.sendall(_HEADER.pack(len(payload), kind, stream) + payload)

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError("init has hung up")
            data += more
        return data

    def receive(self):
        size, kind, stream = _HEADER.unpack(self._exactly(_HEADER.size))
        return kind, stream, self._exactly(size)

    def await_kind(self, wanted):
        """The next of this kind; what comes before it is left out."""
        while True:
            kind, stream, payload = self.receive()
            if kind == FAILED:
                raise AssertionError(f"failed: {payload[12:]!r}")
            if kind == wanted:
                return stream, payload

    def read_to_end(self):
        """What a process wrote, by channel with the offset of its first byte, and its exit code."""
        written = {}
        while True:
            kind, _, payload = self.receive()
            if kind == ENDED:
                return written, struct.unpack_from("<I", payload, 1)[0]
            if kind == OUTPUT:
                channel, offset, _ = struct.unpack_from("<BQI", payload)
                first, so_far = written.get(channel, (offset, b""))
                if offset != first + len(so_far):
                    raise AssertionError(f"byte {offset} follows byte {first + len(so_far)}")
                written[channel] = (first, so_far + payload[13:])
