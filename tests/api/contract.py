"""docs/openapi.yaml and the running server say the same, both ways."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import openapi
import server
import websocket
import world

# These use things up; in this order each still finds what it needs.
LAST = ("signalProcess", "removeFile", "deleteContext", "killProcess", "closeTerminal", "removeMember", "deleteProject", "revokeKey", "deleteUser", "deleteTeam", "deleteSandbox")
STREAMS = ("executionEvents", "processEvents", "watch")


def routes_of_server():
    """METHOD and pattern of each; parameters without names, ANY as what it stands for."""
    done = subprocess.run([cove.program("cove-server"), "--routes"], capture_output=True, check=True, text=True)
    found = set()
    for line in done.stdout.splitlines():
        method, path = line.split()
        parts = ["{...}" if part.endswith("...}") else "{}" if part.startswith("{") else part for part in path.split("/")]
        for one in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") if method in ("ANY", "*") else (method,):
            found.add(f"{one} {'/'.join(parts)}")
    return found


class Paper(server.Test):
    """What can be seen without asking for anything."""

    def test_every_route_of_the_server_is_in_the_contract_and_the_other_way_round(self):
        of_contract = {f"{one.method} {one.pattern_text}" for one in server.CONTRACT.operations}
        of_server = routes_of_server()
        self.assertEqual(sorted(of_server - of_contract), [], "the contract lacks these")
        self.assertEqual(sorted(of_contract - of_server), [], "the server lacks these")

    def test_the_server_hands_out_the_contract(self):
        answer = self.server.api().get("/v1/openapi.yaml")
        with open(openapi.PATH, "rb") as file:
            self.assertEqual(answer.body, file.read())

    def test_examples_are_what_they_are_examples_of(self):
        for name, schema in server.CONTRACT.document["components"]["schemas"].items():
            for example in [schema["example"]] if "example" in schema else []:
                with self.subTest(schema=name):
                    self.assertEqual(server.CONTRACT.errors({"$ref": f"#/components/schemas/{name}"}, example), [])

    def test_request_bodies_are_closed(self):
        for operation in server.CONTRACT.operations:
            schema = operation.body_schema()
            if schema:
                with self.subTest(operation=operation.name):
                    self.assertIs(server.CONTRACT.resolve(schema).get("additionalProperties"), False)

    def test_every_post_takes_an_idempotency_key(self):
        for operation in server.CONTRACT.operations:
            if operation.method == "POST" and not operation.is_proxy:
                self.assertIn("Idempotency-Key", operation.names_in("header"), operation)

    def test_every_error_code_is_described(self):
        codes = server.CONTRACT.document["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"]
        self.assertEqual(sorted(codes), sorted(server.CONTRACT.document["components"]["responses"]))


class Judge(unittest.TestCase):
    """The checker can fail: each thing it looks for is found when it is there."""

    def verdict(self, target, status, document, method="GET", headers=(), body=None):
        told = {"x-request-id": "r", "content-type": "application/json"} | dict(headers)
        try:
            server.CONTRACT.check(server.Request(method, target, body), server.Answer(status, told, json.dumps(document).encode()))
        except openapi.Broken as error:
            return str(error)
        return None

    def test_what_is_right_passes(self):
        self.assertIsNone(self.verdict("/v1/health", 200, {"status": "ok", "version": "1"}))
        error = {"error": {"code": "not_found", "message": "m", "hint": None, "details": None}}
        self.assertIsNone(self.verdict("/v1/sandboxes/abcd", 404, error))
        self.assertIsNone(self.verdict("/v1/nowhere", 404, error))

    def test_what_is_wrong_does_not(self):
        error = {"error": {"code": "gone", "message": "m", "hint": None, "details": None}}
        for words, arguments in (
            ("Additional properties", ("/v1/health", 200, {"status": "ok", "version": "1", "more": 1})),
            ("required property", ("/v1/health", 200, {"status": "ok"})),
            ("does not declare", ("/v1/health", 418, {})),
            ("not_found", ("/v1/sandboxes/abcd", 404, error)),
            ("no such route", ("/v1/nowhere", 200, {})),
        ):
            with self.subTest(words=words):
                self.assertIn(words, self.verdict(*arguments) or "")
        with self.assertRaisesRegex(openapi.Broken, "no X-Request-Id"):
            server.CONTRACT.check(server.Request("GET", "/v1/health", None), server.Answer(200, {}, b"{}"))
        with self.assertRaisesRegex(openapi.Broken, "not JSON"):
            server.CONTRACT.check(server.Request("GET", "/v1/health", None), server.Answer(200, {"x-request-id": "r", "content-type": "application/json"}, b"<"))

    def test_a_request_that_should_not_have_been_taken_is_seen(self):
        page = {"items": [], "next_cursor": None}
        self.assertIsNone(self.verdict("/v1/sandboxes?limit=3", 200, page))
        self.assertIn("maximum", self.verdict("/v1/sandboxes?limit=5000", 200, page))
        self.assertIn("does not know", self.verdict("/v1/sandboxes?unknown=1", 200, page))


class Tour(server.Test):
    """Every operation once, as it should be called: each answers as the contract says it does when all is well."""

    def test_all_operations(self):
        team = self.admin.post("/v1/teams", {"name": "tour"}, status=201).json["id"]
        api = self.server.api(self.server.make_key(team))
        things = world.World(api, self.admin, team)
        self.addCleanup(api.close)
        serving = "python3 -m http.server 8000 & until (echo > /dev/tcp/127.0.0.1/8000) 2> /dev/null; do sleep 0.05; done; echo ready; wait"
        process = api.post(f"{things.path}/processes", {"argv": ["bash", "-c", serving]}, status=201).json["id"]
        with api.stream("GET", f"{things.path}/processes/{process}/events") as events:
            next(event for event in events if event.get("text") == "ready\n")
        operations = sorted(server.CONTRACT.operations, key=lambda one: LAST.index(one.name) if one.name in LAST else -1)
        for operation in operations:
            with self.subTest(operation=operation.name):
                self.visit(things, operation, api, team)

    def visit(self, things, operation, api, team):
        if operation.name in STREAMS:
            with api.stream("GET", things.target_of(operation)) as events:
                next(iter(events))
        elif operation.name == "attachTerminal":
            with api.websocket(things.target_of(operation)) as socket:
                socket.send(b"hello\n")
                self.assertIn(b"hello", self.receive_bytes(socket))
        else:
            needs_admin = operation.scope == "admin"
            instead = {"team": self.admin.post("/v1/teams", {"name": "to-go"}, status=201).json["id"]} if operation.name == "deleteTeam" else {}
            answer = things.call(operation, self.admin if needs_admin else api, **instead)
            if operation.is_proxy:
                self.assertIn(answer.status, (200, 501), answer)  # of Python's server, which knows GET and HEAD
            else:
                self.assertLess(answer.status, 300, answer)

    def receive_bytes(self, socket):
        whole = b""
        while b"hello" not in whole:
            message = socket.receive()
            whole += message if isinstance(message, bytes) else b""
        return whole


class Everywhere(server.Test):
    def test_a_path_that_is_none(self):
        for path in ("/", "/v1", "/v2/sandboxes", "/v1/sandboxes/abcd/nothing", "/favicon.ico"):
            answer = self.api.call("GET", path)
            self.check_error(answer, 404, "not_found")

    def test_a_method_that_a_path_does_not_know(self):
        answer = self.api.call("PUT", "/v1/sandboxes", data=b"")
        self.check_error(answer, 405, "method_not_allowed")
        self.assertEqual({name.strip() for name in answer.headers["allow"].split(",")} - {"HEAD", "OPTIONS"}, {"GET", "POST"})

    def test_answers_are_not_kept_by_anybody_and_not_guessed_at(self):
        answer = self.api.get("/v1/sandboxes")
        self.assertEqual(answer.headers["cache-control"], "no-store")
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertNotIn("set-cookie", answer.headers)
        self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_a_websocket_where_there_is_none(self):
        with self.assertRaises(websocket.Refused) as refused:
            self.api.websocket("/v1/sandboxes")
        self.assertIn(refused.exception.status, (200, 400))


if __name__ == "__main__":
    server.main()
