"""Servers inside a sandbox, reached through Cove's: requests, answers, WebSockets, and who may."""

import os
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import server

# Tells what it was asked, line by line.
ECHO = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def answer(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        told = f'{self.command} {self.path}\\n{self.headers}\\n'.encode() + body
        self.send_response(int(self.headers.get('X-Want') or 200))
        self.send_header('Content-Length', str(len(told)))
        self.send_header('X-Inside', 'yes')
        self.send_header('Set-Cookie', 'a=b')
        self.end_headers()
        if self.command != 'HEAD': self.wfile.write(told)
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer.allow_reuse_address = True
server = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Handler)
print('ready', flush=True)
server.serve_forever()
"""


class Ports(server.Test):
    settings = {"preview_domain": "preview.test"}

    def setUp(self):
        self.path = self.sandbox()
        self.port = f"{self.path}/ports/8000"
        self.serve(self.path)

    def serve(self, path):
        made = self.api.post(f"{path}/processes", {"argv": ["python3", "-c", ECHO]}, status=201).json
        with self.api.stream("GET", f"{path}/processes/{made['id']}/events") as events:
            next(event for event in events if event.get("text") == "ready\n")

    def test_every_method_with_path_query_and_body(self):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            with self.subTest(method=method):
                answer = self.api.call(method, f"{self.port}/a/b%20c/?x=1&y=%26", data=b"sent" if method in ("POST", "PUT", "PATCH") else None)
                self.assertEqual((answer.status, answer.headers.get("x-inside")), (200, "yes"), answer)
                self.assertTrue(answer.body.startswith(f"{method} /a/b%20c/?x=1&y=%26\n".encode()), answer.body)
                self.assertEqual(answer.body.endswith(b"sent"), method in ("POST", "PUT", "PATCH"))
        self.assertEqual(self.api.call("HEAD", f"{self.port}/").status, 200)

    def test_its_status_is_passed_on(self):
        for status in (201, 302, 404, 500):
            self.assertEqual(self.api.call("GET", f"{self.port}/", headers={"X-Want": str(status)}).status, status)

    def test_the_key_does_not_reach_the_inside(self):
        answer = self.api.call("GET", f"{self.port}/")
        self.assertNotIn(self.api.key.rpartition("_")[2].encode(), answer.body)
        self.assertNotIn(b"Authorization", answer.body)

    def test_large_bodies_are_passed_through(self):
        data = os.urandom(30 << 20)
        before = self.server.memory()
        answer = self.api.call("POST", f"{self.port}/", data=data)
        self.assertTrue(answer.body.endswith(data))
        self.assertLess(self.server.memory() - before, 64 << 20)

    def test_where_nobody_listens(self):
        answer = self.api.call("GET", f"{self.path}/ports/8001/")
        self.check_error(answer, 503, "unavailable")
        for port in ("0", "65536", "x", "-1"):
            self.assertEqual(self.api.call("GET", f"{self.path}/ports/{port}/").status, 400, port)

    def test_with_a_token_and_without(self):
        nobody = self.server.api()
        self.assertEqual(nobody.call("GET", f"{self.port}/").status, 401)
        url = urllib.parse.urlsplit(self.api.post(f"{self.path}/signed-urls", {"port": 8000}, status=201).json["url"])
        answer = nobody.call("GET", f"{url.path}deeper?{url.query}&own=1" if url.path.endswith("/") else f"{url.path}/deeper?{url.query}&own=1")
        self.assertEqual(answer.status, 200, answer)
        self.assertTrue(answer.body.startswith(b"GET /deeper?own=1\n"), answer.body)
        self.assertEqual(nobody.call("GET", f"{self.path}/ports/8001/?{url.query}").status, 401)
        other = self.sandbox()
        self.assertEqual(nobody.call("GET", f"{other}/ports/8000/?{url.query}").status, 401)

    def test_public_by_choice(self):
        nobody = self.server.api()
        self.api.patch(self.path, {"public_ports": [8000]})
        self.assertEqual(nobody.call("GET", f"{self.port}/").status, 200)
        self.assertEqual(nobody.call("GET", f"{self.path}/ports/22/").status, 401)
        self.api.patch(self.path, {"public_ports": []})
        self.assertEqual(nobody.call("GET", f"{self.port}/").status, 401)

    def test_by_host_name(self):
        name = f"8000-{self.path.rpartition('/')[2]}.preview.test"
        answer = self.api.send("GET", "/a?b=c", {"Host": name, "Authorization": f"Bearer {self.api.key}"}, None)
        self.assertEqual((answer.status, answer.body.splitlines()[0]), (200, b"GET /a?b=c"))
        self.assertEqual(self.server.api().send("GET", "/", {"Host": name}, None).status, 401)
        self.assertEqual(self.server.api().send("GET", "/v1/health", {"Host": name}, None).status, 401)
        for wrong in ("8000-abcdabcdabcdabcd.preview.test", "x.preview.test", "8000.preview.test"):
            self.assertIn(self.api.send("GET", "/", {"Host": wrong, "Authorization": f"Bearer {self.api.key}"}, None).status, (404, 421))

    def test_a_websocket(self):
        code = ("import socket, hashlib, base64\ns = socket.create_server(('127.0.0.1', 9000)); print('ready', flush=True)\nwhile True:\n c, _ = s.accept(); head = b''\n"
                " while b'\\r\\n\\r\\n' not in head: head += c.recv(4096)\n"
                " key = [l.split(b': ')[1] for l in head.split(b'\\r\\n') if l.lower().startswith(b'sec-websocket-key')][0]\n"
                " accept = base64.b64encode(hashlib.sha1(key + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest())\n"
                " c.sendall(b'HTTP/1.1 101 S\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + b'\\r\\n\\r\\n\\x81\\x05hello')\n c.recv(100)\n c.close()")
        made = self.api.post(f"{self.path}/processes", {"argv": ["python3", "-c", code]}, status=201).json
        with self.api.stream("GET", f"{self.path}/processes/{made['id']}/events") as events:
            next(event for event in events if event.get("text") == "ready\n")
        with self.api.websocket(f"{self.path}/ports/9000/socket") as socket:
            self.assertEqual(socket.receive(), "hello")


if __name__ == "__main__":
    server.main()
