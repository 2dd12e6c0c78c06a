"""Idempotency-Key: what comes again is done once."""

import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import server
import world


def key(text):
    return {"Idempotency-Key": text}


class Idempotency(server.Test):
    def test_a_create_that_comes_again_is_the_same_sandbox(self):
        body = {"template": "base", "name": "once"}
        first = self.api.post("/v1/sandboxes", body, headers=key("create"), status=201)
        self.addCleanup(lambda: self.api.delete(f"/v1/sandboxes/{first.json['id']}"))
        again = self.api.post("/v1/sandboxes", body, headers=key("create"), status=201)
        self.assertEqual(again.json, first.json)
        self.assertEqual((again.headers["idempotent-replayed"], again.headers["location"]), ("true", first.headers["location"]))
        self.assertNotIn("idempotent-replayed", first.headers)
        named = [one for one in self.api.get("/v1/sandboxes").json["items"] if one["name"] == "once"]
        self.assertEqual(len(named), 1)

    def test_another_body_or_route_under_the_same_name(self):
        path = self.sandbox()
        self.api.post(f"{path}/commands", {"command": "true"}, headers=key("mismatch"), status=200)
        self.check_error(self.api.post(f"{path}/commands", {"command": "false"}, headers=key("mismatch")), 422, "idempotency_mismatch")
        self.check_error(self.api.post(f"{path}/executions", {"code": "1"}, headers=key("mismatch")), 422, "idempotency_mismatch")

    def test_without_a_name_or_with_another_it_is_done_again(self):
        path = self.sandbox()
        for headers in ({}, {}, key("a"), key("b"), key("a")):
            self.api.post(f"{path}/commands", {"command": "echo >> count"}, headers=headers, status=200)
        self.assertEqual(self.command(path, "wc -l < count")["stdout"].strip(), "4")

    def test_while_the_first_is_under_way(self):
        path = self.sandbox()
        body = {"command": "echo >> count; until [ -e go ]; do sleep 0.02; done"}
        results = []
        thread = threading.Thread(target=lambda: results.append(self.server.api(self.api.key).post(f"{path}/commands", body, headers=key("slow"))))
        thread.start()
        while self.api.call("GET", f"{path}/stat", query={"path": "count"}).status != 200:
            pass
        self.check_error(self.api.post(f"{path}/commands", body, headers=key("slow")), 409, "conflict")
        self.api.put(f"{path}/files/home/user/go", b"")
        thread.join()
        self.assertEqual(results[0].status, 200)
        self.assertEqual(self.api.post(f"{path}/commands", body, headers=key("slow"), status=200).json, results[0].json)
        self.assertEqual(self.command(path, "wc -l < count")["stdout"].strip(), "1")

    def test_what_failed_may_be_tried_again(self):
        wrong = {"template": "no-such-template"}
        for _ in range(2):
            answer = self.api.post("/v1/sandboxes", wrong, headers=key("failed"))
            self.assertEqual(answer.status, 404)
            self.assertNotIn("idempotent-replayed", answer.headers)

    def test_ten_at_once_make_one(self):
        body = {"name": "one-of-ten"}
        answers = []

        def ask():
            api = self.server.api(self.api.key)
            answers.append(api.post("/v1/users", body, headers=key("ten")))
            api.close()

        threads = [threading.Thread(target=ask) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual({answer.status for answer in answers}, {201, 409})
        self.assertEqual(len({answer.json["id"] for answer in answers if answer.status == 201}), 1)

    def test_it_survives_the_server(self):
        made = self.api.post("/v1/users", {"name": "lasting"}, headers=key("lasting"), status=201).json
        self.server.stop()
        self.server.start()
        self.admin.address = self.api.address = self.server.address
        self.admin.close()
        self.api.close()
        again = self.api.post("/v1/users", {"name": "lasting"}, headers=key("lasting"), status=201)
        self.assertEqual((again.json, again.headers["idempotent-replayed"]), (made, "true"))

    def test_names_that_cannot_be_one(self):
        for wrong in ("", "a" * 256, "a b", "ü".encode().decode("latin-1")):
            with self.subTest(name=wrong):
                self.check_error(self.api.post("/v1/users", {"name": "x"}, headers=key(wrong)), 400, "invalid_request")

    def test_a_stream_that_comes_again_is_answered_with_its_document(self):
        path = self.sandbox()
        body = {"command": "echo >> count; echo said", "stream": "sse"}
        events = self.api.events("POST", f"{path}/commands", body, headers=key("stream"))
        again = self.api.post(f"{path}/commands", body, headers=key("stream"), status=200)
        self.assertEqual(again.json["id"], events[0]["execution"])
        self.assertEqual(self.command(path, "wc -l < count")["stdout"].strip(), "1")


class EveryPost(server.Test):
    def test_every_post_is_done_once(self):
        team = self.admin.post("/v1/teams", {"name": "posts"}, status=201).json["id"]
        api = self.server.api(self.server.make_key(team))
        things = world.World(api, self.admin, team)
        for operation in sorted(server.CONTRACT.operations, key=lambda one: one.name == "signalProcess"):
            if operation.method != "POST" or operation.is_proxy:
                continue
            with self.subTest(operation=operation.name):
                caller = self.admin if operation.scope == "admin" else api
                body = things.body_of(operation)
                headers = key(f"once-{operation.name}") | ({"Content-Type": "application/octet-stream"} if operation.takes_bytes() else {})
                first, again = (caller.call("POST", things.target_of(operation), body, data=things.data_of(operation), headers=headers) for _ in range(2))
                self.assertLess(first.status, 300, first)
                self.assertEqual((again.status, again.headers.get("idempotent-replayed")), (first.status, "true"))
                known = {name: value for name, value in first.json.items() if name != "key"}  # a key is shown once
                self.assertEqual(again.json, known)
        api.close()


if __name__ == "__main__":
    server.main()
