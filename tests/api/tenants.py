"""Who may do what: every route with no key, with wrong ones, with another team's key, and with one that may only read."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server
import websocket
import world

# Routes on which a foreign id cannot stand: templates belong to the machine.
SHARED = ("template", "port")
UPGRADES = ("attachTerminal",)


class Tenants(server.Test):
    @classmethod
    def set_up(cls):
        cls.teams = {name: cls.server.make_team(name)["id"] for name in ("ours", "theirs")}
        cls.ours = cls.server.api(cls.server.make_key("ours"))
        cls.reader = cls.server.api(cls.server.make_key("ours", "read_only"))
        cls.theirs = cls.server.api(cls.server.make_key("theirs"))
        cls.nobody = cls.server.api()
        cls.world = world.World(cls.ours, cls.admin, cls.teams["ours"])

    @classmethod
    def _stop(cls):
        for name in ("ours", "reader", "theirs", "nobody"):
            if hasattr(cls, name):
                getattr(cls, name).close()
        super()._stop()

    def status_of(self, operation, api, **instead):
        """Of the operation with somebody's key."""
        if operation.name in UPGRADES:
            try:
                api.websocket(self.world.target_of(operation, **instead)).close()
                return 101
            except websocket.Refused as refused:
                return refused.status
        return self.world.call(operation, api, **instead).status

    def operations_on_things(self):
        for operation in server.CONTRACT.operations:
            if [name for name in operation.names_in("path") if name not in SHARED and name != operation.rest]:
                yield operation

    def still_there(self):
        """Nothing of the world was touched by whoever was refused."""
        for path in (self.world.path, f"/v1/teams/{self.teams['ours']}", f"/v1/users/{self.world.ids['user']}", f"/v1/keys/{self.world.ids['key']}",
                     f"/v1/projects/{self.world.ids['project']}", f"{self.world.path}/contexts/{self.world.ids['context']}"):
            self.ours.get(path)
        self.assertEqual(self.ours.get(f"{self.world.path}/processes/{self.world.ids['process']}").json["state"], "running")
        self.assertEqual(self.ours.get(f"{self.world.path}/files{world.FILE}").body, b"content of a file\n")

    def test_another_teams_things_do_not_exist_on_any_route(self):
        for operation in self.operations_on_things():
            with self.subTest(operation=operation.name):
                self.assertEqual(self.status_of(operation, self.theirs), 403 if operation.scope == "admin" else 404)
        self.still_there()

    def test_what_does_not_exist_looks_like_what_is_another_teams(self):
        for operation in self.operations_on_things():
            if operation.scope == "admin" or operation.name in UPGRADES:
                continue
            made_up = {name: "a" * len(self.world.ids[name]) for name in operation.names_in("path") if name not in SHARED and name != operation.rest}
            with self.subTest(operation=operation.name):
                foreign, none = self.world.call(operation, self.theirs), self.world.call(operation, self.theirs, **made_up)
                self.assertEqual(foreign.status, none.status)
                if operation.method == "HEAD":
                    continue
                text = json.dumps(foreign.error)
                for name, value in made_up.items():
                    text = text.replace(self.world.ids[name], value)
                self.assertEqual(text, json.dumps(none.error))

    def test_an_id_of_another_sandbox_of_the_same_team_does_not_exist(self):
        path = self.sandbox(self.ours)
        for kind in ("context", "execution", "process", "terminal"):
            plural = {"process": "processes"}.get(kind, kind + "s")
            with self.subTest(kind=kind):
                self.ours.get(f"{path}/{plural}/{self.world.ids[kind]}", status=404)

    def test_without_a_key_only_what_is_open_answers(self):
        for operation in server.CONTRACT.operations:
            with self.subTest(operation=operation.name):
                status = self.status_of(operation, self.nobody)
                if operation.scope == "none":
                    self.assertIn(status, (200, 503))
                else:
                    self.assertEqual(status, 401)
        self.still_there()

    def test_a_key_that_may_read_reads_and_does_nothing_else(self):
        for operation in server.CONTRACT.operations:
            if operation.scope == "none" or operation.name in ("executionEvents", "processEvents", "watch"):
                continue
            with self.subTest(operation=operation.name):
                status = self.status_of(operation, self.reader)
                if operation.scope == "read":
                    self.assertLess(status, 300)
                else:
                    self.assertEqual(status, 403)
        self.still_there()

    def test_a_key_that_may_read_sees_streams(self):
        for name in ("executionEvents", "watch"):
            operation = server.CONTRACT.operation(name)
            with self.reader.stream("GET", self.world.target_of(operation)) as events:
                self.assertTrue(next(iter(events)))

    def test_a_team_key_does_not_administer(self):
        for operation in server.CONTRACT.operations:
            if operation.scope == "admin":
                with self.subTest(operation=operation.name):
                    self.assertEqual(self.status_of(operation, self.ours), 403)

    def test_an_admin_key_reaches_every_team(self):
        self.admin.get(self.world.path)
        self.assertIn(self.teams["theirs"], [one["id"] for one in self.admin.get("/v1/teams", query={"limit": 500}).json["items"]])

    def test_lists_hold_what_is_ones_own(self):
        path = self.sandbox(self.theirs)
        for kind in ("sandboxes", "users", "keys", "projects"):
            found = self.theirs.get(f"/v1/{kind}").json["items"]
            self.assertEqual({one["team"] for one in found} - {self.teams["theirs"]}, set(), kind)
        self.assertEqual([one["id"] for one in self.theirs.get("/v1/teams").json["items"]], [self.teams["theirs"]])
        owner = self.ours.get(self.world.path).json["owner"]
        self.assertEqual(self.theirs.get("/v1/sandboxes", query={"owner": owner}).json["items"], [])
        self.assertTrue(path)

    def test_foreign_ids_in_bodies_and_queries_do_not_exist_either(self):
        for route, body in (
            ("/v1/sandboxes", {"template": "base", "project": self.world.ids["project"]}),
            ("/v1/users", {"name": "spy", "team": self.teams["ours"]}),
            ("/v1/keys", {"team": self.teams["ours"]}),
            ("/v1/keys", {"user": self.world.ids["user"]}),
            ("/v1/projects", {"name": "spy", "team": self.teams["ours"]}),
        ):
            with self.subTest(route=route, body=body):
                self.check_error(self.theirs.post(route, body), 404, "not_found")
        project = self.theirs.post("/v1/projects", {"name": "own"}, status=201).json["id"]
        self.theirs.post(f"/v1/projects/{project}/members", {"user": self.world.ids["user"], "role": "edit"}, status=404)
        path = self.sandbox(self.theirs)
        self.theirs.post(f"{path}/executions", {"code": "1", "context": self.world.ids["context"]}, status=404)
        for kind in ("users", "keys", "projects"):
            self.theirs.get(f"/v1/{kind}", status=404, query={"team": self.teams["ours"]})

    def test_nobody_gives_more_than_they_have(self):
        self.ours.post("/v1/keys", {"scope": "admin"}, status=403)
        self.assertEqual(self.admin.post("/v1/keys", {"scope": "admin", "expires": 60}, status=201).json["scope"], "admin")

    def test_a_page_of_one_team_goes_on_as_no_page_of_another(self):
        for _ in range(2):
            self.sandbox(self.ours)
        cursor = self.ours.get("/v1/sandboxes", query={"limit": 1}).json["next_cursor"]
        answer = self.theirs.call("GET", "/v1/sandboxes", query={"cursor": cursor})
        if answer.status == 200:
            self.assertEqual({one["team"] for one in answer.json["items"]} - {self.teams["theirs"]}, set())
        else:
            self.assertEqual(answer.status, 400)

    def test_an_idempotency_key_is_its_teams_own(self):
        body = {"name": "same"}
        ours = self.ours.post("/v1/users", body, headers={"Idempotency-Key": "shared-name"}, status=201).json
        theirs = self.theirs.post("/v1/users", body, headers={"Idempotency-Key": "shared-name"}, status=201).json
        self.assertNotEqual(ours["id"], theirs["id"])


class Keys(server.Test):
    def check_unauthorized(self, headers, target="/v1/sandboxes"):
        answer = self.server.api().call("GET", target, headers=headers)
        self.assertEqual(answer.status, 401, (headers, answer))
        self.assertEqual(answer.headers["www-authenticate"], "Bearer")
        return answer.error

    def test_every_wrong_key_is_refused_in_the_same_words(self):
        good = self.server.make_key()
        name, identity, secret = good.split("_", 2)
        short = self.server.make_key(expires="1s")
        cove.wait_until(lambda: self.server.api(short).call("GET", "/v1/sandboxes").status == 401, "the key to expire")
        revoked = self.admin.post("/v1/keys", {}, status=201).json
        self.server.api(revoked["key"]).get("/v1/sandboxes")
        self.admin.delete(f"/v1/keys/{revoked['id']}", status=204)
        wrong = ["", "Bearer", "Bearer ", "Basic " + good, good, "Bearer " + good[:-1], "Bearer " + good + "x", f"Bearer {name}_{identity}_{secret[::-1]}", f"Bearer {name}_{'a' * len(identity)}_{secret}",
                 "Bearer " + short, "Bearer " + revoked["key"], f"Bearer {good} {good}", "Bearer " + "a" * 5000, "Bearer cove_%00_x", "Bearer ' OR 1=1 --"]
        told = [self.check_unauthorized({"Authorization": header}) for header in wrong]
        told.append(self.check_unauthorized({}))
        self.assertEqual(len({json.dumps(one, sort_keys=True) for one in told}), 1, told)
        self.server.api(good).get("/v1/sandboxes")

    def test_a_key_anywhere_else_than_in_its_header_is_none(self):
        key = self.server.make_key()
        for query in ({"key": key}, {"access_token": key}, {"api_key": key}, {"token": key}):
            self.assertEqual(self.server.api().call("GET", "/v1/sandboxes", query=query).status, 401)
        self.assertEqual(self.server.api().call("GET", "/v1/sandboxes", headers={"Cookie": f"key={key}", "X-API-Key": key}).status, 401)

    def test_a_revoked_key_stops_at_once_whoever_revokes_it(self):
        key = self.server.make_key()
        api = self.server.api(key)
        api.get("/v1/sandboxes")
        self.server.command("key", "revoke", key.split("_")[1])
        api.get("/v1/sandboxes", status=401)

    def test_a_key_is_shown_once(self):
        made = self.admin.post("/v1/keys", {"name": "once", "scope": "read_only", "expires": 3600}, status=201).json
        self.assertIn("key", made)
        told = [self.admin.get(f"/v1/keys/{made['id']}").json, *self.admin.get("/v1/keys", query={"limit": 500}).json["items"]]
        for one in told:
            self.assertNotIn("key", one)
            self.assertNotIn(made["key"].rpartition("_")[2], json.dumps(one))
        self.assertNotIn(made["key"].rpartition("_")[2], self.server.log())

    def test_keys_are_not_on_any_command_line_or_in_the_database(self):
        key = self.server.make_key()
        secret = key.split("_", 2)[2].encode()
        for name in os.listdir(f"{self.cove.state}/server"):
            if name.startswith("cove.db"):
                with open(f"{self.cove.state}/server/{name}", "rb") as file:
                    self.assertNotIn(secret, file.read())


if __name__ == "__main__":
    server.main()
