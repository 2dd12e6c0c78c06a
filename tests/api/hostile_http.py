"""Requests that no good client sends: foreign hosts and origins, smuggling, slow and stalled clients."""

import contextlib
import json
import os
import select
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server
import websocket


class Raw:
    """A connection on which anything may be said."""

    def __init__(self, address, timeout=60):
        self.socket = socket.create_connection(address, timeout=timeout)

    def send(self, data):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)
        return self

    def everything(self):
        """Until the server closes."""
        whole = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := self.socket.recv(1 << 16):
                whole += piece
        return whole

    def answers(self, count=1):
        """So many answers that have a Content-Length, as (status, head, body)."""
        found, data = [], b""
        while len(found) < count:
            head, mark, rest = data.partition(b"\r\n\r\n")
            length = next((int(line.partition(b":")[2]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
            if mark and len(rest) >= length:
                found.append((int(head.split()[1]), head, rest[:length]))
                data = rest[length:]
                continue
            piece = self.socket.recv(1 << 16)
            if not piece:
                break
            data += piece
        return found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


class Hostile(server.Test):
    def raw(self):
        return Raw(self.server.address)

    def head(self, method="GET", target="/v1/sandboxes", host="localhost", headers=()):
        lines = [f"{method} {target} HTTP/1.1", *([f"Host: {host}"] if host is not None else []), f"Authorization: Bearer {self.api.key}", *headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def ask(self, data):
        """The status of the first answer, and whether it has the API's form."""
        with self.raw() as raw:
            found = raw.send(data).answers()
        if not found:
            return None
        status, head, body = found[0]
        if status >= 400:
            error = json.loads(body)["error"]
            self.assertEqual(sorted(error), ["code", "details", "hint", "message"])
            codes = server.CONTRACT.document["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"]
            self.assertIn(error["code"], codes)
            self.assertIn(b"x-request-id", head.lower())
        return status

    # Whose name is called, and whose page calls.

    def test_hosts(self):
        port = self.server.address[1]
        for host in ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", f"[::1]:{port}", "LOCALHOST"):
            with self.subTest(host=host):
                self.assertEqual(self.ask(self.head(host=host)), 200)
        for host in ("evil.com", f"evil.com:{port}", "127.0.0.1.evil.com", "localhost.evil.com", "0.0.0.0", "127.1", "2130706433", "0x7f.1", "169.254.169.254", "", "a b", "localhost:x", "localhost:999999",
                     "evil.com@localhost", "[::ffff:127.0.0.1]", "localhost, evil.com"):
            with self.subTest(host=host):
                self.assertIn(self.ask(self.head(host=host)), (400, 421))
        self.assertEqual(self.ask(self.head(host=None)), 400)
        self.assertEqual(self.ask(self.head(headers=["Host: evil.com"])), 400)

    def test_origins(self):
        port = self.server.address[1]
        for origin in ("http://evil.com", "null", "https://localhost.evil.com", "http://127.0.0.1:1", "file://", "http://localhost", "", "http://evil.com http://localhost"):
            for method, target in (("GET", "/v1/sandboxes"), ("POST", "/v1/sandboxes"), ("GET", "/v1/health"), ("OPTIONS", "/v1/sandboxes")):
                with self.subTest(origin=origin, method=method, target=target):
                    with self.raw() as raw:
                        status, head, _ = raw.send(self.head(method, target, f"127.0.0.1:{port}", [f"Origin: {origin}", "Content-Length: 0"])).answers()[0]
                    self.assertIn(status, (400, 403))
                    self.assertNotIn(b"access-control-allow", head.lower())
        self.assertEqual(self.ask(self.head(host=f"127.0.0.1:{port}", headers=[f"Origin: http://127.0.0.1:{port}"])), 200)

    def test_origins_of_sockets_and_streams(self):
        path = self.sandbox()
        terminal = self.api.post(f"{path}/terminals", {"argv": ["cat"]}, status=201).json["id"]
        with self.assertRaises(websocket.Refused) as refused:
            self.api.websocket(f"{path}/terminals/{terminal}/attach", headers=[("Origin", "http://evil.com")])
        self.assertEqual(refused.exception.status, 403)
        self.assertEqual(self.ask(self.head(target=f"{path}/watch?path=/tmp", headers=["Origin: http://evil.com"])), 403)

    def test_forms_of_other_pages(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            self.assertEqual(self.ask(self.head("POST", headers=[f"Content-Type: {kind}", "Content-Length: 2"]) + b"{}"), 415)

    # Where one request ends and the next begins.

    def test_requests_that_two_readers_would_read_differently(self):
        smuggled = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        json_type = "Content-Type: application/json"
        for what, data in (
            ("both lengths", self.head("POST", headers=[json_type, "Content-Length: 4", "Transfer-Encoding: chunked"]) + b"0\r\n\r\n" + smuggled),
            ("two lengths", self.head("POST", headers=[json_type, "Content-Length: 0", "Content-Length: 45"]) + smuggled),
            ("the same length twice", self.head("POST", headers=[json_type, "Content-Length: 2", "Content-Length: 2"]) + b"{}"),
            ("a list of lengths", self.head("POST", headers=[json_type, "Content-Length: 2, 2"]) + b"{}"),
            ("a signed length", self.head("POST", headers=[json_type, "Content-Length: +2"]) + b"{}"),
            ("a negative length", self.head("POST", headers=[json_type, "Content-Length: -1"])),
            ("a length past all numbers", self.head("POST", headers=[json_type, "Content-Length: 99999999999999999999999"])),
            ("a hexadecimal length", self.head("POST", headers=[json_type, "Content-Length: 0x2"]) + b"{}"),
            ("two encodings", self.head("POST", headers=[json_type, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]) + b"0\r\n\r\n" + smuggled),
            ("an unknown encoding", self.head("POST", headers=[json_type, "Transfer-Encoding: gzip, chunked"]) + b"0\r\n\r\n" + smuggled),
            ("a hidden encoding", self.head("POST", headers=[json_type, "Transfer-Encoding: xchunked", "Content-Length: 2"]) + b"{}" + smuggled),
            ("a blank before the colon", self.head("POST", headers=[json_type, "Content-Length : 2"]) + b"{}" + smuggled),
            ("folding", self.head(headers=["X-A: b", " Content-Length: 45"]) + smuggled),
            ("bare line feeds", self.head().replace(b"\r\n", b"\n") + smuggled),
            ("one bare line feed", self.head(headers=["X-A: b\nX-C: d"])),
            ("a bare return", self.head(headers=["X-A: b\rX-C: d"])),
            ("a NUL", self.head(headers=["X-A: b\0c"])),
            ("no name", self.head(headers=[": b"])),
            ("no colon", self.head(headers=["whatever"])),
            ("absolute form", self.head(target="http://evil.com/v1/sandboxes")),
            ("no path", self.head(target="*")),
            ("a fragment", self.head(target="/v1/sandboxes#x")),
            ("blanks", self.head(target="/v1/ sandboxes")),
            ("a bad chunk size", self.head("POST", headers=[json_type, "Transfer-Encoding: chunked"]) + b"zz\r\n{}\r\n0\r\n\r\n"),
            ("a huge chunk size", self.head("POST", headers=[json_type, "Transfer-Encoding: chunked"]) + b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
            ("a chunk that is longer", self.head("POST", headers=[json_type, "Transfer-Encoding: chunked"]) + b"1\r\n{}\r\n0\r\n\r\n"),
            ("percent without digits", self.head(target="/v1/sandboxes/%zz")),
            ("an unknown version", self.head().replace(b"HTTP/1.1", b"HTTP/9.9")),
            ("two keys", self.head(headers=["Authorization: Bearer x"])),
        ):
            with self.subTest(what=what):
                with self.raw() as raw:
                    whole = raw.send(data).everything()
                statuses = [int(line.split()[1]) for line in whole.split(b"\r\n") if line.startswith(b"HTTP/1.")]
                self.assertLessEqual(len(statuses), 1, whole)
                self.assertTrue(not statuses or 400 <= statuses[0] < 600 and statuses[0] != 500, whole)
                self.assertNotIn(b'"status":"ok"', whole.replace(b" ", b""))

    def test_requests_one_after_another_on_one_connection(self):
        one = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        posted = self.head("POST", "/v1/users", headers=["Content-Type: application/json", "Transfer-Encoding: chunked"]) + b"a\r\n{\"name\": \"\r\n3\r\nx\"}\r\n0\r\n\r\n"
        with self.raw() as raw:
            found = raw.send(one * 20 + posted + one).answers(22)
        self.assertEqual([status for status, _, _ in found], [200] * 20 + [201] + [200])

    def test_methods_of_proxies(self):
        for method in ("TRACE", "CONNECT", "TRACK", "get", "A" * 1000):
            with self.subTest(method=method[:20]):
                self.assertIn(self.ask(self.head(method)), (400, 405, 501))

    def test_heads_that_are_too_large(self):
        for data in (self.head(headers=["X-A: " + "b" * (1 << 20)]), self.head(headers=[f"X-{number}: b" for number in range(10_000)]), self.head(target="/v1/sandboxes?" + "a" * (1 << 20))):
            self.assertIn(self.ask(data), (400, 414, 431, None))

    def test_answers_do_not_echo_markup_or_secrets(self):
        with self.raw() as raw:
            _, head, body = raw.send(self.head(target="/v1/%3Cscript%3Ealert(1)%3C/script%3E")).answers()[0]
        self.assertIn(b"application/json", head)
        self.assertNotIn(self.api.key.encode(), body + head)

    # Slow ones.

    def health(self):
        self.assertEqual(self.server.api().get("/v1/health").json["status"], "ok")

    def test_a_head_that_never_ends_is_given_up(self):
        with self.raw() as raw:
            raw.send(b"GET /v1/health HTTP/1.1\r\nHost: loc")
            self.health()
            whole = raw.everything()
        self.assertTrue(not whole or b" 408 " in whole, whole)

    def test_many_connections_that_say_nothing(self):
        with contextlib.ExitStack() as stack:
            for number in range(500):
                raw = stack.enter_context(self.raw())
                if number % 2:
                    raw.send(b"GET /v1/health HTTP/1.1\r\n")
            self.health()
            path = self.sandbox()
            self.assertEqual(self.command(path, "echo x")["stdout"], "x\n")

    def test_a_stream_that_nobody_reads_stalls_nobody(self):
        path = self.sandbox()
        before = self.server.memory()
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                raw = stack.enter_context(self.raw())
                body = json.dumps({"command": "yes", "timeout": 5, "stream": "sse"}).encode()
                raw.send(self.head("POST", f"{path}/commands", headers=["Content-Type: application/json", f"Content-Length: {len(body)}"]) + body)
                select.select([raw.socket], [], [], 30)
            self.health()
            self.assertEqual(self.command(path, "echo x")["stdout"], "x\n")
            self.assertLess(self.server.memory() - before, 200 << 20)
            cove.wait_until(lambda: not self.api.get(f"{path}/processes", query={"state": "running"}).json["items"], "the ends of all")

    def test_a_thousand_watchers(self):
        path = self.sandbox()
        execution = self.api.post(f"{path}/commands", {"command": "sleep 1000", "background": True}, status=202).json["id"]
        before = self.server.memory()
        with contextlib.ExitStack() as stack:
            for _ in range(1000):
                stack.enter_context(self.raw()).send(self.head(target=f"{path}/executions/{execution}/events"))
            self.health()
            self.assertLess(self.server.memory() - before, 200 << 20)
        self.api.delete(f"{path}/executions/{execution}", status=200)

    def test_websocket_frames_that_are_wrong(self):
        path = self.sandbox()
        terminal = f"{path}/terminals/{self.api.post(f'{path}/terminals', {'argv': ['cat']}, status=201).json['id']}/attach"
        for what, first, data, masked in (("not masked", 0x82, b"x", False), ("reserved bits", 0xF2, b"x", True), ("unknown code", 0x83, b"x", True), ("a split ping", 0x09, b"x", True),
                                          ("a long ping", 0x89, b"x" * 126, True), ("text that is none", 0x81, b"\xff\xfe", True)):
            with self.subTest(what=what):
                with self.api.websocket(terminal) as client:
                    client.send_frame(first, data, masked)
                    with self.assertRaises((websocket.Closed, ConnectionResetError)):
                        while True:
                            client.receive()
        with self.api.websocket(terminal) as client:
            client.send_raw(b"\x82\xff" + (1 << 62).to_bytes(8, "big") + b"mask")
            with self.assertRaises((websocket.Closed, ConnectionResetError)):
                while True:
                    client.receive()
        self.health()

    def test_json_that_costs_more_than_it_should(self):
        before = self.server.memory()
        for data in (b'{"labels":{' + b",".join(b'"k%d":"v"' % number for number in range(500_000)) + b"}}", b"[" + b"[]," * 1_000_000 + b"[]]", b'{"a":"' + b"\\u0041" * 1_000_000 + b'"}',
                     b'{"a":' + b"1" * 5_000_000 + b"}", b'{"a":1e' + b"9" * 1_000_000 + b"}"):
            answer = self.api.call("POST", "/v1/sandboxes", data=data, headers={"Content-Type": "application/json"})
            self.assertEqual(answer.status, 400, answer)
            self.health()
        self.assertLess(self.server.memory() - before, 200 << 20)


if __name__ == "__main__":
    server.main()
