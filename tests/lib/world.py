"""One of everything that the API can name, and a right request for each of its operations."""

import urllib.parse

import server

FILE = "/home/user/file.txt"


class World:
    """The things of one team: made by its key, and by an admin's where it takes one."""

    def __init__(self, api, admin, team):
        self.api = api
        self.admin = admin
        self.sandbox = api.post("/v1/sandboxes", {"template": "base", "labels": {"of": "world"}}, status=201).json
        self.path = f"/v1/sandboxes/{self.sandbox['id']}"
        self.ids = {"sandbox": self.sandbox["id"], "team": team, "template": "base", "port": "8000"}
        self.fill()

    def fill(self):
        """Makes what is missing, so that a test may use things up."""
        api, path = self.api, self.path
        self.ids["context"] = api.post(f"{path}/contexts", {"language": "bash"}, status=201).json["id"]
        self.ids["execution"] = api.post(f"{path}/commands", {"command": "echo out; echo err >&2"}, status=200).json["id"]
        self.ids["process"] = api.post(f"{path}/processes", {"argv": ["cat"], "stdin": "stream"}, status=201).json["id"]
        self.ids["terminal"] = api.post(f"{path}/terminals", {"argv": ["cat"]}, status=201).json["id"]
        for name in ("draft.txt", "file.txt", "run.sh"):
            api.put(f"{path}/files/home/user/{name}", b"content of a file\n")
        self._count = getattr(self, "_count", 0) + 1
        self.ids["user"] = api.post("/v1/users", {"name": f"user-{self._count}"}, status=201).json["id"]
        self.ids["key"] = api.post("/v1/keys", {"name": "another", "scope": "read_only"}, status=201).json["id"]
        self.ids["project"] = api.post("/v1/projects", {"name": f"project-{self._count}"}, status=201).json["id"]
        api.post(f"/v1/projects/{self.ids['project']}/members", {"user": self.ids["user"], "role": "run"}, status=201)

    def rest_of(self, operation):
        return "" if operation.is_proxy else FILE[1:]

    def query_of(self, operation):
        """What has to be there."""
        query = {one["name"]: "/home/user" for one in operation.parameters_in("query") if one.get("required")}
        if operation.name in ("unpack",):
            query["path"] = "/home/user/unpacked"
        if operation.name == "waitForProcess":
            query["timeout"] = "0"
        return query

    def target_of(self, operation, **instead):
        """The operation's path with this world's ids in it, or with others."""
        path = operation.path
        for name in operation.names_in("path"):
            value = self.rest_of(operation) if name == operation.rest else urllib.parse.quote(instead.get(name, self.ids.get(name, "")), safe="")
            path = path.replace(f"{{{name}}}", value)
        query = self.query_of(operation)
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def body_of(self, operation):
        body = server.CONTRACT.example(operation)
        if body is None:
            return server.NO_BODY
        if "template" in body:
            body["template"] = "base"
        if "user" in body:
            body["user"] = self.ids["user"]
        if operation.name in ("createTeam", "createUser", "createProject"):
            self._count += 1
            body["name"] += str(self._count)
        return body

    def data_of(self, operation):
        if operation.name == "unpack":
            return b"\0" * 1024  # an empty tar
        return b"some bytes" if operation.takes_bytes() or operation.is_proxy and operation.method in ("POST", "PUT", "PATCH") else None

    def call(self, operation, api=None, body=None, **instead):
        """The operation as it should be called, with somebody's key."""
        headers = {"Content-Type": "application/octet-stream"} if operation.takes_bytes() else {}
        return (api or self.api).call(operation.method, self.target_of(operation, **instead), self.body_of(operation) if body is None else body,
                                      data=self.data_of(operation), headers=headers)

    def close(self):
        self.api.delete(self.path)
