"""A real server for tests: `cove serve` on a state directory of its own, keys made by the command, and a client that holds every answer to the contract."""

import collections
import contextlib
import http.client
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import urllib.parse

import cove
import openapi
import websocket

CONTRACT = openapi.Contract()
Request = collections.namedtuple("Request", "method target body")
NO_BODY = object()


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # lower-case names
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    def __repr__(self):
        return f"{self.status} {self.body[:600]!r}"


class Server:
    """`cove serve` of one instance."""

    def __init__(self, instance, settings):
        self.cove = instance
        # A user that every machine has: `cove` would be made, and stay.
        self.settings = [f"{name}={value}" for name, value in {"server_user": "nobody", **settings}.items()]
        self.process = None
        self.address = None
        self._log = None

    def start(self):
        self._log = open(f"{self.cove.state}/serve.log", "ab")
        flags = [word for setting in self.settings for word in ("--set", setting)]
        self.process = subprocess.Popen(self.cove.command("serve", "--listen", "127.0.0.1:0", *flags), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self._log, preexec_fn=cove.end_with_the_test)
        line = self._first_line()
        found = re.search(rb"\b(127\.0\.0\.1):(\d+)", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"cove serve said {line!r}, and its log ends with {self.log()[-2000:]}")
        self.address = (found[1].decode(), int(found[2]))

    def _first_line(self):
        deadline = time.monotonic() + 60 * cove.SLOWNESS
        line = b""
        while not line.endswith(b"\n") and time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 1)[0]:
                piece = os.read(self.process.stdout.fileno(), 1)
                if not piece:
                    break
                line += piece
        return line

    def log(self):
        with open(f"{self.cove.state}/serve.log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def stop(self):
        """As an operator would; everything is gone afterwards."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60 * cove.SLOWNESS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"cove serve did not end; its log ends with {self.log()[-2000:]}") from None
        finally:
            self.process.stdout.close()
            self._log.close()
            self.process = None

    def server_pid(self):
        """Of cove-server itself."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        for pid in children:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if file.read().split(b"\0")[0].endswith(b"cove-server"):
                    return int(pid)
        raise AssertionError(f"none of {children} is cove-server")

    def memory(self):
        """Resident bytes of cove-server."""
        with open(f"/proc/{self.server_pid()}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    # Keys, by the command, as an operator makes them.

    def command(self, *arguments):
        done = self.cove.call(*arguments, "--json")
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.stderr!r}")
        return json.loads(done.stdout)

    def make_team(self, name):
        return self.command("team", "create", name)

    def make_key(self, team="default", scope="team", **options):
        extra = [word for name, value in options.items() for word in (f"--{name}", value)]
        return self.command("key", "create", "--team", team, "--scope", scope.replace("_", "-"), *extra)["key"]

    def api(self, key=None):
        return Api(self.address, key)


class Api:
    """One client with one key. Every answer is held to the contract; a status may be asked for."""

    def __init__(self, address, key):
        self.address = address
        self.key = key
        self._connection = None

    def _headers(self, headers, body):
        shown = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if body is not NO_BODY:
            shown["Content-Type"] = "application/json"
        return shown | dict(headers or {})

    def send(self, method, target, headers, data):
        """One exchange on a connection that is kept. One that the server has closed meanwhile is made anew, unless the body can be sent only once."""
        if data is not None and not isinstance(data, bytes):
            self.close()
        is_fresh = self._connection is None
        try:
            return self._exchange(method, target, headers, data)
        except (ConnectionError, http.client.BadStatusLine):
            self.close()
            if is_fresh:
                raise
            return self._exchange(method, target, headers, data)

    def _exchange(self, method, target, headers, data):
        if self._connection is None:
            self._connection = http.client.HTTPConnection(*self.address, timeout=cove.PATIENCE)
        try:
            self._connection.request(method, target, body=data, headers=headers)
        except ConnectionError:
            if not data:
                raise  # else it may have been refused before all of it was sent: the answer says so
        response = self._connection.getresponse()
        answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        if response.will_close:
            self.close()
        return answer

    def call(self, method, path, body=NO_BODY, *, query=None, headers=None, data=None, status=None):
        """`body` is sent as JSON, `data` as it is."""
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        raw = json.dumps(body).encode() if body is not NO_BODY else data
        answer = self.send(method, target, self._headers(headers, body), raw)
        CONTRACT.check(Request(method, target, None if body is NO_BODY else body), answer)
        if status is not None and answer.status != status:
            raise AssertionError(f"{method} {target}: expected {status}, got {answer}")
        return answer

    def get(self, path, status=200, **options):
        return self.call("GET", path, status=status, **options)

    def post(self, path, body=NO_BODY, status=None, **options):
        return self.call("POST", path, body, status=status, **options)

    def put(self, path, data, status=200, **options):
        return self.call("PUT", path, data=data, status=status, **options)

    def patch(self, path, body, status=200, **options):
        return self.call("PATCH", path, body, status=status, **options)

    def delete(self, path, status=None, **options):
        return self.call("DELETE", path, status=status, **options)

    @contextlib.contextmanager
    def stream(self, method, path, body=NO_BODY, query=None, headers=None):
        """Events as they come, each held to the contract; the connection ends with the block."""
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        connection = http.client.HTTPConnection(*self.address, timeout=cove.PATIENCE)
        try:
            connection.request(method, target, body=None if body is NO_BODY else json.dumps(body).encode(), headers=self._headers(headers, body))
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            if response.status != 200 or not told.get("content-type", "").startswith("text/event-stream"):
                answer = Answer(response.status, told, response.read())
                CONTRACT.check(Request(method, target, None if body is NO_BODY else body), answer)
                raise AssertionError(f"{method} {target}: no stream: {answer}")
            yield Events(CONTRACT.find(method, target), response)
        finally:
            connection.close()

    def events(self, method, path, body=NO_BODY, **options):
        """All of them."""
        with self.stream(method, path, body, **options) as stream:
            return list(stream)

    def websocket(self, path, query=None, headers=()):
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        shown = [("Authorization", f"Bearer {self.key}")] if self.key else []
        return websocket.WebSocket(self.address, target, [*shown, *headers])

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None


class Events:
    def __init__(self, operation, response):
        self._operation = operation
        self._response = response
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def __iter__(self):
        fields = {}
        for line in self._response:
            line = line.decode().rstrip("\n").rstrip("\r")
            if not line:
                if "data" in fields:
                    yield self._event(fields)
                fields = {}
            elif not line.startswith(":"):
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                fields[name] = fields[name] + "\n" + value if name in fields else value

    def _event(self, fields):
        event = json.loads(fields["data"])
        CONTRACT.check_event(self._operation, event)
        assert fields.get("event") == event["type"], fields
        if "number" in event:
            assert fields.get("id") == str(event["number"]), fields
        return event


def text_of(events, kind="stdout"):
    return "".join(event["text"] for event in events if event["type"] == kind)


class Test(cove.Test):
    """A class of tests shares one server, a team key and an admin key."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.server = Server(cls.cove, cls.settings)
            cls.server.start()
            cls.admin = cls.server.api(cls.server.make_key(scope="admin"))
            cls.api = cls.server.api(cls.server.make_key())
            cls.set_up()
        except BaseException:
            cls._stop()
            super().tearDownClass()
            raise

    @classmethod
    def set_up(cls):
        """What the tests of a class share besides."""

    @classmethod
    def _stop(cls):
        for name in ("admin", "api"):
            if hasattr(cls, name):
                getattr(cls, name).close()
        cls.server.stop()

    @classmethod
    def tearDownClass(cls):
        try:
            cls._stop()
        finally:
            super().tearDownClass()

    def sandbox(self, api=None, **wish):
        """One that ends with the test; its path."""
        api = api or self.api
        made = api.post("/v1/sandboxes", {"template": "base", **wish}, status=201).json
        path = f"/v1/sandboxes/{made['id']}"
        self.addCleanup(lambda: api.delete(path))
        return path

    def run_code(self, path, code, language="python", **wish):
        return self.api.post(f"{path}/executions", {"code": code, "language": language, **wish}, status=200).json

    def command(self, path, command, **wish):
        return self.api.post(f"{path}/commands", {"command": command, **wish}, status=200).json

    def check_error(self, answer, status, code, *words):
        self.assertEqual((answer.status, answer.error["code"]), (status, code), answer)
        for word in words:
            self.assertIn(word, answer.error["message"] + (answer.error["hint"] or ""))


def main():
    sys.stdout.reconfigure(line_buffering=True)
    cove.main()
