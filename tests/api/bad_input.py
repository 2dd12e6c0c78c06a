"""Wrong, missing, huge and malicious input for every route, made from the contract: always refused, always in the contract's words, never with 500."""

import copy
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import server
import world

WRONG_TYPES = (None, True, -1, 1.5, "text", [], {}, [[]], {"a": {"b": []}})
WRONG_IDS = ("a", "A" * 16, "a" * 5000, "..", "%2e%2e", "a%00b", "a%2Fb", "a'b", "%C3%BC", "a%0d%0ab", "-1", "a;b", "%F0%9F%A6%86" * 4)
STREAMS = ("executionEvents", "processEvents", "watch")


class Body:
    """What can be wrong with the bodies of one operation."""

    def __init__(self, contract, operation, right):
        self.contract = contract
        self.schema = contract.resolve(operation.body_schema())
        self.right = right

    def is_wrong(self, body):
        return bool(self.contract.errors(self.schema, body))

    def variants(self):
        yield from ((f"all of it is {json.dumps(value)}", value) for value in WRONG_TYPES if not isinstance(value, dict) or value)
        yield "a field that nobody knows", self.right | {"no_such_field": 1}
        for name in self.schema.get("required", ()):
            yield f"without {name}", {key: value for key, value in self.right.items() if key != name}
        for name, schema in self.schema["properties"].items():
            for value in self.values_for(self.contract.resolve(schema)):
                body = copy.deepcopy(self.right) | {name: value}
                yield f"{name} = {json.dumps(value)[:60]}", body

    def values_for(self, schema):
        yield from WRONG_TYPES
        for bound, step in (("minimum", -1), ("maximum", 1)):
            if bound in schema:
                yield schema[bound] + step
        yield from (1e308, -1e308, 2 ** 63, 2 ** 64)
        if "maxLength" in schema and schema["maxLength"] <= 1 << 20:
            yield "x" * (schema["maxLength"] + 1)
        yield from ("", "\x00", "a\x00b", "../../etc/passwd", "%s%n", "'; DROP TABLE sandboxes; --", "\ud7ff\u202e", "x" * 100_000)
        if schema.get("type") == "array":
            yield ["x"] * (schema.get("maxItems", 1000) + 1)
        if schema.get("type") == "object":
            yield {f"k{number}": "v" for number in range(schema.get("maxProperties", 1000) + 1)}
            yield {"": "v"}
            yield {"k" * 1000: "v"}


class BadInput(server.Test):
    @classmethod
    def set_up(cls):
        team = cls.server.make_team("clumsy")["id"]
        cls.team = cls.server.api(cls.server.make_key("clumsy"))
        cls.world = world.World(cls.team, cls.admin, team)

    @classmethod
    def _stop(cls):
        if hasattr(cls, "team"):
            cls.team.close()
        super()._stop()

    def caller(self, operation):
        return self.admin if operation.scope == "admin" else self.team

    def check_refused(self, answer, *statuses):
        self.assertIn(answer.status, statuses, answer)
        if answer.body:
            text = json.dumps(answer.json)
            for leak in ("/var/lib", self.cove.state, "std::", "sqlite", "SQLITE", ".cc:", "Traceback"):
                self.assertNotIn(leak, text)
            self.assertLess(len(answer.body), 4096)

    def test_bodies(self):
        for operation in server.CONTRACT.operations:
            if operation.body_schema() is None:
                continue
            body = Body(server.CONTRACT, operation, self.world.body_of(operation))
            self.assertFalse(body.is_wrong(body.right), operation)
            seen = 0
            for what, wrong in body.variants():
                if not body.is_wrong(wrong):
                    continue
                seen += 1
                with self.subTest(operation=operation.name, what=what):
                    answer = self.caller(operation).call(operation.method, self.world.target_of(operation), wrong)
                    # A name that cannot be one is a template that there is not.
                    self.check_refused(answer, *((400, 404) if what.startswith(("template =", "runtime =")) else (400,)))
            self.assertGreater(seen, 10, operation)

    def test_bodies_that_are_no_json(self):
        deep = b"[" * 100_000
        for operation in server.CONTRACT.operations:
            if operation.body_schema() is None:
                continue
            for data, statuses in ((b"{", (400,)), (b"nothing", (400,)), (deep, (400,)), (b'{"a":' * 50_000, (400,)), (b"{}{}", (400,)), (b"{} x", (400,)), (b"\xef\xbb\xbf{}", (400,)),
                                   (b'{"\xff": 1}', (400,)), (b'{"a": NaN}', (400,)), (b'{"a": 1, "a": 2}', (400,)), (b"\x00", (400,)), (b'{"a": "\\ud800"}', (400,)),
                                   (b'{"a": 99999999999999999999999999999999}', (400,)), (b"", (400,) if operation.needs_body() else (200, 201))):
                with self.subTest(operation=operation.name, data=data[:40]):
                    if not data and not operation.needs_body():
                        continue
                    answer = self.caller(operation).call(operation.method, self.world.target_of(operation), data=data, headers={"Content-Type": "application/json"})
                    self.check_refused(answer, *statuses)

    def test_other_content_types(self):
        for operation in server.CONTRACT.operations:
            if operation.body_schema() is None:
                continue
            right = json.dumps(self.world.body_of(operation)).encode()
            for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml", "application/jsonp", "json", ""):
                with self.subTest(operation=operation.name, kind=kind):
                    answer = self.caller(operation).call(operation.method, self.world.target_of(operation), data=right, headers={"Content-Type": kind})
                    self.check_refused(answer, 415)

    def test_bodies_that_are_too_large(self):
        huge = b'{"name": "' + b"x" * (17 << 20) + b'"}'
        before = self.server.memory()
        for name in ("createSandbox", "execute", "createUser", "move"):
            operation = server.CONTRACT.operation(name)
            with self.subTest(operation=name):
                try:
                    answer = self.caller(operation).call(operation.method, self.world.target_of(operation), data=huge, headers={"Content-Type": "application/json"})
                except (BrokenPipeError, ConnectionResetError):
                    continue  # it was told so, and did not listen while it sent
                self.check_refused(answer, 413)
        self.assertLess(self.server.memory() - before, 100 << 20)

    def test_ids(self):
        for operation in server.CONTRACT.operations:
            names = [name for name in operation.names_in("path") if name not in (operation.rest, "port", "template")]
            if operation.is_proxy and operation.method != "GET":
                continue
            for name in names:
                for wrong in WRONG_IDS:
                    with self.subTest(operation=operation.name, parameter=name, value=wrong[:40]):
                        target = self.world.target_of(operation, **{name: "@@"}).replace("%40%40", wrong)
                        answer = self.caller(operation).call(operation.method, target, self.world.body_of(operation), data=self.world.data_of(operation),
                                                             headers={"Content-Type": "application/octet-stream"} if operation.takes_bytes() else {})
                        self.check_refused(answer, 400, 404, 426, 431)

    def test_query_parameters(self):
        for operation in server.CONTRACT.operations:
            if operation.scope == "none" or operation.is_proxy or operation.name in STREAMS or operation.name == "attachTerminal":
                continue
            target = self.world.target_of(operation)
            joint = "&" if "?" in target else "?"
            wrong = [("no_such_parameter=1", "unknown"), ("a%00b=1", "NUL"), ("%ff=1", "no UTF-8")]
            for one in operation.parameters_in("query"):
                wrong += [(f"{one['name']}={value}&{one['name']}={value}", "twice") for value in ("1",)]
                schema = server.CONTRACT.resolve(one["schema"])
                if schema.get("type") in ("integer", "number"):
                    wrong += [(f"{one['name']}={value}", "no number") for value in ("", "x", "1x", "-1", "0x10", "1e999", "99999999999999999999", "%2B1", "1%00")]
                    wrong += [(f"{one['name']}={schema['maximum'] + 1}", "too large")] if "maximum" in schema else []
                elif schema.get("type") == "boolean":
                    wrong += [(f"{one['name']}={value}", "no boolean") for value in ("", "yes", "TRUE", "1", "2")]
                elif "enum" in schema:
                    wrong += [(f"{one['name']}={value}", "none of these") for value in ("", "x", "a,b")]
            for query, why in wrong:
                with self.subTest(operation=operation.name, query=query, why=why):
                    if query.partition("=")[0] in ("expires", "signature"):
                        continue  # beside a key they mean nothing
                    answer = self.caller(operation).call(operation.method, target + joint + query, self.world.body_of(operation), data=self.world.data_of(operation),
                                                         headers={"Content-Type": "application/octet-stream"} if operation.takes_bytes() else {})
                    self.check_refused(answer, 400)

    def test_streams_and_sockets_refuse_before_they_begin(self):
        for name in (*STREAMS, "attachTerminal"):
            operation = server.CONTRACT.operation(name)
            target = self.world.target_of(operation)
            joint = "&" if "?" in target else "?"
            for query in ("after=-1", "after=x", "offset=-1", "recursive=maybe", "no_such=1"):
                answer = self.team.call("GET", target + joint + query)
                self.check_refused(answer, 400, 426)

    def test_everything_still_works(self):
        self.world.fill()
        self.team.get(self.world.path)


if __name__ == "__main__":
    server.main()
