"""A WebSocket client of the tests: small enough to send what a good one would not."""

import base64
import hashlib
import os
import socket
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refused(Exception):
    def __init__(self, status, head, body):
        super().__init__(f"{status}: {body[:300]!r}")
        self.status = status
        self.head = head
        self.body = body


class Closed(Exception):
    def __init__(self, code):
        super().__init__(f"closed with {code}")
        self.code = code


class WebSocket:
    def __init__(self, address, target, headers=(), timeout=60):
        self._socket = socket.create_connection(address, timeout=timeout)
        self._buffer = b""
        try:
            self._open(address, target, headers)
        except BaseException:
            self._socket.close()
            raise

    def _open(self, address, target, headers):
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {target} HTTP/1.1", f"Host: {address[0]}:{address[1]}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
                 "Sec-WebSocket-Version: 13", *(f"{name}: {value}" for name, value in headers)]
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        if status != 101:
            length = next((int(line.partition(b":")[2]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
            raise Refused(status, head, self._take(length))
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest())
        assert expected in head, head

    def _more(self):
        piece = self._socket.recv(65536)
        if not piece:
            raise Closed(None)
        self._buffer += piece

    def _take(self, size):
        while len(self._buffer) < size:
            self._more()
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def send(self, payload, kind=None):
        if kind is None:
            kind = TEXT if isinstance(payload, str) else BINARY
        data = payload.encode() if isinstance(payload, str) else payload
        self.send_frame(0x80 | kind, data)

    def send_frame(self, first, data, masked=True):
        size = len(data)
        bit = 0x80 if masked else 0
        if size < 126:
            head = bytes([first, bit | size])
        elif size < 65536:
            head = bytes([first, bit | 126]) + struct.pack(">H", size)
        else:
            head = bytes([first, bit | 127]) + struct.pack(">Q", size)
        if masked:
            mask = os.urandom(4)
            repeated = (mask * (size // 4 + 1))[:size]
            data = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big") if size else b""
            head += mask
        self._socket.sendall(head + data)

    def send_raw(self, data):
        self._socket.sendall(data)

    def receive(self):
        """The next whole message: text or bytes. Closed, when there is none."""
        kind, whole = None, b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._take(8))[0]
            data = self._take(size)
            code = first & 0x0F
            if code == PING:
                self.send(data, PONG)
            elif code == CLOSE:
                raise Closed(struct.unpack(">H", data[:2])[0] if len(data) >= 2 else None)
            elif code != PONG:
                kind = kind or code
                whole += data
                if first & 0x80:
                    return whole.decode() if kind == TEXT else whole

    def close(self):
        try:
            self.send(struct.pack(">H", 1000), CLOSE)
        except OSError:
            pass
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
