"""Processes over HTTP: start, list, signal, input, wait, attach at an event."""

import hashlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import server

BYTES = {"Content-Type": "application/octet-stream"}


class Processes(server.Test):
    @classmethod
    def set_up(cls):
        told = cls.api.post("/v1/sandboxes", {"template": "base", "ttl": 1200}, status=201).json
        cls.path = f"/v1/sandboxes/{told['id']}"

    def start(self, command, **wish):
        told = self.api.post(f"{self.path}/processes", {"command": command, **wish}, status=201).json
        self.addCleanup(lambda: self.api.delete(f"{self.path}/processes/{told['id']}"))
        return f"{self.path}/processes/{told['id']}", told

    def wait(self, process, timeout=60):
        return self.api.get(f"{process}/wait", query={"timeout": timeout}).json

    def heard(self, process, **options):
        return self.api.events("GET", f"{process}/events", **options)

    def test_start_wait_and_look(self):
        process, told = self.start("echo hello; exit 4", env={"A": "b"}, cwd="/tmp")
        self.assertEqual((told["state"], told["stdin"], told["cwd"]), ("running", "closed", "/tmp"))
        done = self.wait(process)
        self.assertEqual((done["state"], done["cause"], done["exit_code"], done["stdout_bytes"]), ("ended", "error", 4, 6))
        self.assertEqual(self.api.get(process).json, done)
        events = self.heard(process)
        self.assertEqual((server.text_of(events), events[-1]["type"]), ("hello\n", "ended"))

    def test_its_pid_is_the_one_inside(self):
        process, _ = self.start("echo $$; sleep 1000")
        with self.api.stream("GET", f"{process}/events") as events:
            said = next(event["text"] for event in events if event["type"] == "stdout")
        self.assertEqual(self.api.get(process).json["pid"], int(said))

    def test_waiting_has_an_end(self):
        process, _ = self.start("sleep 1000")
        self.assertEqual(self.wait(process, 0)["state"], "running")
        self.assertEqual(self.wait(process, 0.2)["state"], "running")

    def test_listed(self):
        process, told = self.start("sleep 1000")
        running = self.api.get(f"{self.path}/processes", query={"state": "running"}).json["items"]
        self.assertIn(told["id"], [one["id"] for one in running])
        self.api.delete(process, status=200)
        self.wait(process)
        ended = self.api.get(f"{self.path}/processes", query={"state": "ended"}).json["items"]
        self.assertIn(told["id"], [one["id"] for one in ended])
        one_by_one, cursor = [], None
        while True:
            page = self.api.get(f"{self.path}/processes", query={"limit": 1} | ({"cursor": cursor} if cursor else {})).json
            one_by_one += [one["id"] for one in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        self.assertEqual(len(one_by_one), len(set(one_by_one)))
        self.assertIn(told["id"], one_by_one)

    def test_killing_takes_everything_along(self):
        process, _ = self.start("(setsid sleep 54321 &); echo go; sleep 54321")
        with self.api.stream("GET", f"{process}/events") as events:
            next(event for event in events if event["type"] == "stdout")
        self.api.delete(process, status=200)
        done = self.wait(process)
        self.assertEqual((done["state"], done["cause"]), ("ended", "cancelled"))
        self.assertEqual(self.command(self.path, "pgrep -f 'sleep 5432[1]' | wc -l")["stdout"].strip(), "0")
        self.assertEqual(self.api.delete(process, status=200).json, done)

    def test_signals(self):
        for signal in ("USR1", "SIGUSR1", 10):
            process, _ = self.start("trap 'echo got it; exit 9' USR1; echo go; while :; do sleep 0.05; done")
            with self.api.stream("GET", f"{process}/events") as events:
                next(event for event in events if event["type"] == "stdout")
                self.api.post(f"{process}/signal", {"signal": signal}, status=200)
                rest = list(events)
            self.assertEqual((server.text_of(rest), rest[-1]["exit_code"]), ("got it\n", 9))
            self.check_error(self.api.post(f"{process}/signal", {"signal": signal}), 409, "conflict")
        for wrong in (0, 65, -9, "FOO", "", None, 1.5, "kill -9"):
            self.check_error(self.api.post(f"{process}/signal", {"signal": wrong}), 400, "invalid_request")

    def test_input(self):
        process, _ = self.start("while read line; do echo got $line; done; echo end", stdin="stream")
        self.assertEqual(self.api.post(f"{process}/input", data=b"one\n", headers=BYTES, status=200).json, {"bytes": 4})
        with self.api.stream("GET", f"{process}/events") as events:
            self.assertEqual(next(event for event in events if event["type"] == "stdout")["text"], "got one\n")
            self.api.post(f"{process}/input", data=b"two\n", headers=BYTES, query={"close": "true"}, status=200)
            self.assertEqual(server.text_of(events), "got two\nend\n")
        self.check_error(self.api.post(f"{process}/input", data=b"x", headers=BYTES), 409, "conflict")

    def test_much_input_arrives_whole(self):
        process, _ = self.start("sha256sum", stdin="stream")
        data = os.urandom(20 << 20)
        self.api.post(f"{process}/input", data=data, headers=BYTES, query={"close": "true"}, status=200)
        self.assertEqual(server.text_of(self.heard(process)).split()[0], hashlib.sha256(data).hexdigest())

    def test_input_to_one_without(self):
        process, _ = self.start("sleep 1000")
        self.check_error(self.api.post(f"{process}/input", data=b"x", headers=BYTES), 409, "conflict")

    def test_attaching_at_an_event(self):
        process, _ = self.start("for i in $(seq 100); do echo $i; sleep 0.005; done")
        with self.api.stream("GET", f"{process}/events") as events:
            first = [next(iter(events)) for _ in range(3)]
        rest = self.heard(process, query={"after": first[-1]["number"]})
        self.assertEqual(server.text_of(first + rest), "".join(f"{i}\n" for i in range(1, 101)))

    def test_a_timeout_of_its_own(self):
        process, _ = self.start("sleep 1000", timeout=0.3)
        self.assertEqual(self.wait(process)["cause"], "timeout")

    def test_what_is_none(self):
        for method, route in (("GET", ""), ("DELETE", ""), ("GET", "/wait"), ("GET", "/events")):
            self.assertEqual(self.api.call(method, f"{self.path}/processes/abcdabcdabcdabcd{route}").status, 404)


if __name__ == "__main__":
    server.main()
