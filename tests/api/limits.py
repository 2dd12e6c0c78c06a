"""Overload is explicit: what does not fit is refused with a time to try again, and nothing is left half made."""

import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server

SMALL = {"cpus": 0.1, "memory_mb": 64, "disk_mb": 64}


class Admission(server.Test):
    def create(self, api=None, **wish):
        answer = (api or self.api).post("/v1/sandboxes", {"template": "base", "limits": SMALL, **wish})
        if answer.status == 201:
            self.addCleanup(lambda: self.api.delete(f"/v1/sandboxes/{answer.json['id']}"))
        return answer

    def check_refused(self, answer):
        self.assertIn((answer.status, answer.error["code"]), ((429, "too_many_requests"), (503, "unavailable")), answer)
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        self.assertTrue(answer.error["message"])


class Number(Admission):
    settings = {"max_sandboxes": 3}

    def test_one_too_many_and_room_again(self):
        made = [self.create() for _ in range(3)]
        self.assertEqual([answer.status for answer in made], [201] * 3)
        self.check_refused(self.create())
        self.check_refused(self.api.post("/v1/execute", {"template": "base", "code": "1", "limits": SMALL}))
        running = self.api.get("/v1/sandboxes", query={"state": "running"}).json["items"]
        self.assertEqual(len(running), 3)
        self.api.delete(f"/v1/sandboxes/{made[0].json['id']}", status=200)
        self.assertEqual(self.create().status, 201)

    def test_many_at_once(self):
        answers = []

        def ask():
            api = self.server.api(self.api.key)
            answers.append(self.create(api))
            api.close()

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        good = [answer for answer in answers if answer.status == 201]
        self.assertEqual(len(good), 3)
        for answer in answers:
            if answer.status != 201:
                self.check_refused(answer)
        listed = self.api.get("/v1/sandboxes", query={"state": "running"}).json["items"]
        self.assertEqual({one["id"] for one in listed}, {answer.json["id"] for answer in good})


class Memory(Admission):
    settings = {"max_memory": "1G"}

    def test_memory_is_counted(self):
        first = self.create(limits={"memory_mb": 600, "disk_mb": 64})
        self.assertEqual(first.status, 201)
        self.check_refused(self.create(limits={"memory_mb": 600, "disk_mb": 64}))
        self.assertEqual(self.create(limits={"memory_mb": 300, "disk_mb": 64}).status, 201)
        self.api.delete(f"/v1/sandboxes/{first.json['id']}", status=200)
        self.assertEqual(self.create(limits={"memory_mb": 600, "disk_mb": 64}).status, 201)

    def test_what_can_never_fit_is_refused_too(self):
        answer = self.create(limits={"memory_mb": 2048, "disk_mb": 64})
        self.assertIn(answer.status, (400, 429, 503), answer)


class Ceilings(Admission):
    settings = {"max_ttl": "1h", "default_ttl": "30m", "max_timeout": "10s"}

    def test_the_operators_ceilings(self):
        self.check_error(self.create(ttl=3601), 400, "invalid_request")
        path = f"/v1/sandboxes/{self.create(ttl=3600).json['id']}"
        self.check_error(self.api.call("PATCH", path, {"ttl": 3601}), 400, "invalid_request")
        self.check_error(self.api.post(f"{path}/executions", {"code": "1", "timeout": 11}), 400, "invalid_request")
        self.check_error(self.api.post(f"{path}/commands", {"command": "true", "timeout": 11}), 400, "invalid_request")
        self.api.post(f"{path}/commands", {"command": "true"}, status=200)


class Flood(Admission):
    def test_a_hundred_that_flood_leave_the_server_answering(self):
        flood = "(yes > /dev/null &); (while :; do :; done &); (cat /dev/zero > fill 2>/dev/null; rm fill) & python3 -c 'a = []\nwhile True: a.append(bytearray(1 << 20))'; yes"
        paths = []
        for _ in range(100):
            answer = self.create()
            self.assertEqual(answer.status, 201, answer)
            paths.append(f"/v1/sandboxes/{answer.json['id']}")
            self.api.post(f"{paths[-1]}/commands", {"command": flood, "background": True}, status=202)
        nobody = self.server.api()
        for _ in range(200):
            self.assertEqual(nobody.get("/v1/health").json["status"], "ok")
        self.assertLess(self.server.memory(), 1 << 30)
        states = {self.api.get(path).json["state"] for path in paths}
        self.assertEqual(states, {"running"})
        for path in paths:
            self.api.delete(path, status=200)
        cove.wait_until(lambda: not self.cove.traces() or not self.api.get("/v1/sandboxes", query={"state": "running"}).json["items"], "their end")


if __name__ == "__main__":
    server.main()
