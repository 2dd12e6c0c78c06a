"""docs/openapi.yaml as a judge: every answer that a test sees is held to it, and every request that was taken.

The contract is closed here: a field of an answer that it does not name is wrong, although to clients of the API new fields are no news.
"""

import copy
import json
import os
import re
import urllib.parse

import jsonschema
import yaml

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "openapi.yaml")
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")


class Broken(AssertionError):
    """The server and its contract do not agree."""


class Operation:
    def __init__(self, contract, method, path, told):
        self.contract = contract
        self.method = method.upper()
        self.path = path
        self.told = told
        self.name = told["operationId"]
        self.scope = told["x-scope"]
        self.parameters = [contract.resolve(one) for one in told.get("parameters", [])]
        self.responses = {int(status): contract.resolve(one) for status, one in told["responses"].items()}
        self.is_proxy = "ports" in told["tags"]
        self.rest = next((one["name"] for one in self.parameters if one.get("x-rest")), None)
        pattern = re.sub(r"\\{(\w+)\\}", lambda found: "(.*)" if found[1] == self.rest else "([^/]+)", re.escape(path))
        self.pattern = re.compile(f"^{pattern}$")

    @property
    def pattern_text(self):
        """As the server prints its routes, without the names of the parameters."""
        return re.sub(r"\{(\w+)\}", lambda found: "{...}" if found[1] == self.rest else "{}", self.path)

    def names_in(self, place):
        return [one["name"] for one in self.parameters if one["in"] == place]

    def parameters_in(self, place):
        return [one for one in self.parameters if one["in"] == place]

    def body_schema(self):
        """Of a JSON body; None where there is none."""
        content = self.told.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema")

    def takes_bytes(self):
        return "application/octet-stream" in self.told.get("requestBody", {}).get("content", {})

    def needs_body(self):
        return self.told.get("requestBody", {}).get("required", False)

    def code_of(self, status):
        """The error code that goes with a status: the name of its response."""
        reference = self.told["responses"].get(str(status), {}).get("$ref", "")
        return reference.rpartition("/")[2] or None

    def __repr__(self):
        return f"{self.method} {self.path}"


class Contract:
    def __init__(self, path=PATH):
        with open(path, encoding="utf-8") as file:
            self.document = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self._closed = closed(copy.deepcopy(self.document))
        self._resolver = jsonschema.RefResolver("", self._closed)
        self.operations = [Operation(self, method, path, told) for path, item in self.document["paths"].items() for method, told in item.items() if method in METHODS]
        self.anywhere = {}  # status → code of what any request may be answered with
        for code, told in self.document["components"]["responses"].items():
            if "x-any-route" in told:
                self.anywhere[told["x-any-route"]] = code

    def resolve(self, told):
        while "$ref" in told:
            at = self.document
            for part in told["$ref"].removeprefix("#/").split("/"):
                at = at[part]
            told = at
        return told

    def operation(self, name):
        return next(one for one in self.operations if one.name == name)

    def find(self, method, path):
        """The operation of a request; the one with the most literal path where several match."""
        path = path.partition("?")[0]
        found = [one for one in self.operations if one.method == method and one.pattern.match(path)]
        return min(found, key=lambda one: (one.rest is not None, one.path.count("{")), default=None)

    def errors(self, schema, value):
        """What is wrong with a value, in one line each."""
        validator = jsonschema.Draft202012Validator(self._close(schema), resolver=self._resolver)
        return [f"{'/'.join(map(str, one.absolute_path)) or '(all)'}: {one.message[:300]}" for one in validator.iter_errors(value)]

    @staticmethod
    def _close(schema):
        return closed(copy.deepcopy(schema))

    # What a test hands in.

    def check(self, request, response):
        """`request`: method, target, body (parsed JSON or None). `response`: status, headers (lower-case), body (bytes)."""
        operation = self.find(request.method, request.target)
        where = f"{request.method} {request.target} → {response.status}"
        if operation is None:
            if response.status not in (400, 401, 404, 405, *self.anywhere):
                raise Broken(f"{where}: no such route in the contract, and the answer is not that")
            self._check_error(where, response, None)
            return
        if operation.is_proxy and response.headers.get("x-request-id") is None:
            return
        if "x-request-id" not in response.headers:
            raise Broken(f"{where}: no X-Request-Id")
        if response.status in self.anywhere:
            self._check_error(where, response, self.anywhere[response.status])
        elif response.status in operation.responses:
            self._check_declared(where, operation, request, response)
        elif not operation.is_proxy:
            raise Broken(f"{where}: {operation.name} does not declare this status; {response.body[:300]!r}")

    def _check_declared(self, where, operation, request, response):
        declared = operation.responses[response.status]
        self._check_headers(where, declared, response)
        if response.status < 300 and not operation.is_proxy:
            self._check_request(where, operation, request)
        content = declared.get("content")
        if not content:
            if response.body:
                raise Broken(f"{where}: a body, where none is declared: {response.body[:200]!r}")
            return
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if request.method == "HEAD":
            return
        if kind not in content and "*/*" not in content and not self._is_file(operation):
            raise Broken(f"{where}: Content-Type {kind!r} is not one of {sorted(content)}")
        if kind == "application/json" and "application/json" in content:
            self._check_json(where, content[kind]["schema"], response.body)
            if response.status >= 400 and "error" in json.loads(response.body):
                self._check_error(where, response, operation.code_of(response.status))

    @staticmethod
    def _is_file(operation):
        return operation.name == "readFile"

    def _check_headers(self, where, declared, response):
        for name, told in declared.get("headers", {}).items():
            value = response.headers.get(name.lower())
            if value is None:
                raise Broken(f"{where}: no header {name}")
            schema = self.resolve(told)["schema"]
            if schema.get("type") == "integer":
                value = int(value)
            wrong = self.errors(schema, value)
            if wrong:
                raise Broken(f"{where}: header {name}: {wrong}")

    def _check_request(self, where, operation, request):
        """What the server takes, the contract allows."""
        given = urllib.parse.parse_qsl(request.target.partition("?")[2], keep_blank_values=True)
        for name, value in given:
            known = [one for one in operation.parameters_in("query") if one["name"] == name]
            if not known:
                raise Broken(f"{where}: the server took the query parameter {name}, which the contract does not know")
            wrong = self.errors(known[0]["schema"], value_of(value, self.resolve(known[0]["schema"])))
            if wrong:
                raise Broken(f"{where}: the server took {name}={value!r}: {wrong}")
        schema = operation.body_schema()
        if schema and request.body is not None:
            wrong = self.errors(schema, request.body)
            if wrong:
                raise Broken(f"{where}: the server took a body that the contract forbids: {wrong}")

    def _check_json(self, where, schema, body):
        try:
            document = json.loads(body)
        except ValueError:
            raise Broken(f"{where}: not JSON: {body[:300]!r}") from None
        wrong = self.errors(schema, document)
        if wrong:
            raise Broken(f"{where}: {'; '.join(wrong[:5])} in {json.dumps(document)[:600]}")

    def _check_error(self, where, response, code):
        if not response.body and response.headers.get("content-length") is None:
            return  # of a HEAD
        if not response.body:
            return
        self._check_json(where, {"$ref": "#/components/schemas/Error"}, response.body)
        told = json.loads(response.body)["error"]["code"]
        if code is not None and told != code:
            raise Broken(f"{where}: the code is {told}, and should be {code}: {response.body[:300]!r}")

    def check_event(self, operation, event):
        """The data of one server-sent event, or one message."""
        declared = operation.responses[200]["content"]["text/event-stream"]
        wrong = self.errors(declared["x-event"], event)
        if wrong:
            raise Broken(f"{operation}: event {json.dumps(event)[:600]}: {'; '.join(wrong[:5])}")

    def example(self, operation):
        """A body that is right, from the contract's own examples."""
        schema = operation.body_schema()
        return None if schema is None else copy.deepcopy(self.resolve(schema).get("example", {}))


def value_of(text, schema):
    """A query parameter as what its schema calls it."""
    kind = schema.get("type")
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kind in ("integer", "number"):
        try:
            return int(text) if kind == "integer" else float(text)
        except ValueError:
            return text
    return text


def closed(schema):
    """The same, with nothing in objects that is not named."""
    if isinstance(schema, dict):
        is_schema = isinstance(schema.get("properties"), dict) and ("type" in schema or "required" in schema)
        if is_schema and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for value in schema.values():
            closed(value)
    elif isinstance(schema, list):
        for value in schema:
            closed(value)
    return schema
