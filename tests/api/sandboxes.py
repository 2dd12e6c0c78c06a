"""The life of sandboxes over HTTP: create, look, list, change, end, and why they ended."""

import datetime
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Life(server.Test):
    def wait_for_end(self, path):
        """Looking is no use: a sandbox that is looked at grows idle all the same."""
        cove.wait_until(lambda: self.api.get(path).json["state"] == "ended", f"the end of {path}")
        return self.api.get(path).json

    def test_a_new_one_has_the_defaults(self):
        made = self.api.post("/v1/sandboxes", {"template": "base"}, status=201)
        told = made.json
        self.addCleanup(lambda: self.api.delete(f"/v1/sandboxes/{told['id']}"))
        self.assertEqual(made.headers["location"], f"/v1/sandboxes/{told['id']}")
        self.assertRegex(told["id"], "^[a-z0-9]+$")
        self.assertEqual((told["state"], told["cause"], told["ended_at"]), ("running", None, None))
        self.assertEqual((told["template"], told["tier"], told["network"]), ("base", "jail", {"tier": "restricted"}))
        self.assertEqual(told["template_digest"], self.cove.digest())
        self.assertEqual(told["limits"], {"cpus": 1, "memory_mb": 512, "disk_mb": 1024, "max_processes": 256, "timeout": 60})
        self.assertEqual((told["labels"], told["env"], told["idle_timeout"]), ({}, [], 900))
        lifetime = time_of(told["expires_at"]) - time_of(told["created_at"])
        self.assertAlmostEqual(lifetime.total_seconds(), 3600, delta=2)
        self.assertEqual(self.api.get(f"/v1/sandboxes/{told['id']}").json, told)

    def test_without_a_body_it_is_a_default_one(self):
        told = self.api.post("/v1/sandboxes", status=201).json
        self.api.delete(f"/v1/sandboxes/{told['id']}", status=200)

    def test_wishes_are_granted(self):
        path = self.sandbox(name="a name", labels={"a": "1", "b/c": "ü"}, ttl=100, idle_timeout=50, env={"GREETING": "hello", "EMPTY": ""},
                            limits={"cpus": 0.5, "memory_mb": 128, "disk_mb": 64, "max_processes": 32, "timeout": 7})
        told = self.api.get(path).json
        self.assertEqual((told["name"], told["labels"], told["idle_timeout"]), ("a name", {"a": "1", "b/c": "ü"}, 50))
        self.assertEqual(sorted(told["env"]), ["EMPTY", "GREETING"])
        self.assertEqual(told["limits"], {"cpus": 0.5, "memory_mb": 128, "disk_mb": 64, "max_processes": 32, "timeout": 7})
        self.assertAlmostEqual((time_of(told["expires_at"]) - time_of(told["created_at"])).total_seconds(), 100, delta=2)
        self.assertEqual(self.command(path, "echo $GREETING-$EMPTY-")["stdout"], "hello--\n")
        self.assertEqual(self.run_code(path, "import os; os.environ['GREETING']")["results"][0]["data"]["text/plain"], "'hello'")
        size = int(self.command(path, "df --output=size -k / | tail -1")["stdout"])
        self.assertLess(size, 70 * 1024)

    def test_limits_hold(self):
        path = self.sandbox(limits={"memory_mb": 128, "disk_mb": 64, "max_processes": 32, "timeout": 1})
        self.assertEqual(self.run_code(path, "while True: pass")["cause"], "timeout")
        self.assertEqual(self.command(path, "head -c 200M /dev/zero > big")["cause"], "disk_full")
        eater = "python3 -c 'a = bytearray(400 << 20); print(len(a))'"
        self.assertEqual(self.command(path, eater)["cause"], "out_of_memory")
        self.assertEqual(self.api.get(path).json["state"], "running")

    def test_deleting_is_final_and_can_be_repeated(self):
        path = self.sandbox()
        self.command(path, "true")
        first = self.api.delete(path, status=200).json
        self.assertEqual((first["state"], first["cause"]), ("ended", "deleted"))
        self.assertIsNotNone(first["ended_at"])
        self.assertEqual(self.api.delete(path, status=200).json, first)
        self.assertEqual(self.api.get(path).json, first)
        cove.wait_until(lambda: first["id"] not in self.cove.sandboxes(), "its last trace to go")

    def test_what_has_ended_is_gone_on_every_route_below_it(self):
        path = self.sandbox()
        self.api.delete(path, status=200)
        for method, route, body in (("POST", "executions", {"code": "1"}), ("POST", "commands", {"command": "true"}), ("POST", "contexts", {}), ("GET", "contexts", None),
                                    ("GET", "processes", None), ("POST", "touch", None), ("GET", "files/etc/passwd", None), ("GET", "list?path=/", None)):
            with self.subTest(route=route):
                answer = self.api.call(method, f"{path}/{route}", server.NO_BODY if body is None else body)
                self.check_error(answer, 410, "gone")
                self.assertEqual(answer.error["details"], {"cause": "deleted"})
        self.check_error(self.api.call("PATCH", path, {"ttl": 5}), 410, "gone")

    def test_its_time_ends_it(self):
        path = self.sandbox(ttl=1, idle_timeout=1000)
        told = self.wait_for_end(path)
        self.assertEqual(told["cause"], "expired")
        self.assertGreaterEqual(time_of(told["ended_at"]), time_of(told["expires_at"]))

    def test_its_time_ends_it_also_at_work_and_whoever_waits_is_told(self):
        path = self.sandbox(ttl=2)
        document = self.command(path, "sleep 1000")
        self.assertEqual(document["cause"], "sandbox_ended")
        self.assertEqual(self.wait_for_end(path)["cause"], "expired")

    def test_more_time(self):
        long, short = self.sandbox(ttl=2), self.sandbox(ttl=2)
        told = self.api.patch(long, {"ttl": 500}).json
        self.assertGreater((time_of(told["expires_at"]) - time_of(told["created_at"])).total_seconds(), 400)
        self.assertEqual(self.wait_for_end(short)["cause"], "expired")
        self.assertEqual(self.api.get(long).json["state"], "running")

    def test_idleness_ends_it_and_work_does_not(self):
        busy = self.sandbox(idle_timeout=2)
        self.api.post(f"{busy}/commands", {"command": "while :; do :; done", "background": True}, status=202)
        idle = self.sandbox(idle_timeout=2)
        self.assertEqual(self.wait_for_end(idle)["cause"], "idle")
        later = self.sandbox(idle_timeout=2)
        self.assertEqual(self.wait_for_end(later)["cause"], "idle")
        self.assertEqual(self.api.get(busy).json["state"], "running")

    def test_an_execution_is_work_even_when_it_only_waits(self):
        busy, idle = self.sandbox(idle_timeout=1), self.sandbox(idle_timeout=1)
        with self.api.stream("POST", f"{busy}/executions", {"code": "print('go', flush=True)\nimport time\ntime.sleep(1000)", "timeout": 2000, "stream": "sse"}) as events:
            next(event for event in events if event["type"] == "stdout")
            self.assertEqual(self.wait_for_end(idle)["cause"], "idle")
            self.assertEqual(self.api.get(busy).json["state"], "running")

    def test_touching_keeps_it(self):
        touched, left = self.sandbox(idle_timeout=2), self.sandbox(idle_timeout=2)

        def left_has_ended():
            self.api.post(f"{touched}/touch", status=200)
            return self.api.get(left).json["state"] == "ended"

        cove.wait_until(left_has_ended, "the end of the one that nobody touches")
        self.assertEqual(self.api.get(touched).json["state"], "running")

    def test_patching(self):
        path = self.sandbox(labels={"a": "1"})
        self.assertEqual(self.api.patch(path, {"labels": {"b": "2"}, "idle_timeout": 30}).json["labels"], {"b": "2"})
        told = self.api.get(path).json
        self.assertEqual((told["labels"], told["idle_timeout"]), ({"b": "2"}, 30))

    def test_a_template_or_runtime_that_is_none(self):
        for wish in ({"template": "no-such-template"}, {"runtime": "cobol 85"}):
            answer = self.api.post("/v1/sandboxes", wish)
            self.check_error(answer, 404, "not_found")
        self.check_error(self.api.post("/v1/sandboxes", {"template": "base", "runtime": "python"}), 400, "invalid_request")

    def test_a_network_that_this_server_does_not_have(self):
        self.check_error(self.api.post("/v1/sandboxes", {"template": "base", "network": {"tier": "unrestricted"}}), 501, "unsupported")
        path = self.sandbox(network={"tier": "sandbox"})
        self.assertEqual(self.api.get(path).json["network"], {"tier": "sandbox"})

    def test_init_that_is_killed_ends_the_sandbox_with_a_cause(self):
        path = self.sandbox()
        marker = str(int.from_bytes(os.urandom(6), "big"))
        self.api.post(f"{path}/processes", {"argv": ["sleep", marker]}, status=201)
        os.kill(self.init_beside(marker), signal.SIGKILL)
        self.assertEqual(self.wait_for_end(path)["cause"], "failed")

    @staticmethod
    def init_beside(marker):
        """The host's pid of the pid 1 in whose namespace a process with this argument runs."""
        namespaces, found = {}, None
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as line, open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
                    namespace = os.readlink(f"/proc/{pid}/ns/pid")
                    if marker.encode() in line.read().split(b"\0"):
                        found = namespace
                    inside = next(text for text in status if text.startswith("NSpid:")).split()
                    if inside[-1] == "1":
                        namespaces[namespace] = int(pid)
            except OSError:
                pass  # it has just ended
        return namespaces[found]


class Lists(server.Test):
    @classmethod
    def set_up(cls):
        cls.made = []
        for number in range(7):
            wish = {"template": "base", "labels": {"number": str(number), "parity": "odd" if number % 2 else "even"}, "limits": {"memory_mb": 64, "disk_mb": 64}}
            cls.made.append(cls.api.post("/v1/sandboxes", wish, status=201).json)
        cls.api.delete(f"/v1/sandboxes/{cls.made[0]['id']}", status=200)

    def ids(self, **query):
        found, cursor = [], None
        while True:
            page = self.api.get("/v1/sandboxes", query=query | ({"cursor": cursor} if cursor else {})).json
            found += [one["id"] for one in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    def test_newest_first_and_whole(self):
        expected = [one["id"] for one in reversed(self.made)]
        self.assertEqual(self.ids(), expected)
        for limit in (1, 2, 3, 7, 500):
            self.assertEqual(self.ids(limit=limit), expected, limit)

    def test_pages_stand_still_while_new_ones_come(self):
        first = self.api.get("/v1/sandboxes", query={"limit": 3}).json
        new = self.api.post("/v1/sandboxes", {"template": "base"}, status=201).json
        self.addCleanup(lambda: self.api.delete(f"/v1/sandboxes/{new['id']}"))
        second = self.api.get("/v1/sandboxes", query={"limit": 3, "cursor": first["next_cursor"]}).json
        ids = [one["id"] for one in first["items"] + second["items"]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertNotIn(new["id"], ids)

    def test_filters(self):
        known = [one["id"] for one in self.made]

        def found(**query):
            return sorted(known.index(one) for one in self.ids(**query) if one in known)

        self.assertEqual(found(state="running"), [1, 2, 3, 4, 5, 6])
        self.assertEqual(found(state="ended"), [0])
        self.assertEqual(found(label="number:3"), [3])
        self.assertEqual(found(label="parity:odd", limit=1), [1, 3, 5])
        self.assertEqual(found(label="parity:none"), [])
        self.assertEqual(found(template="base"), list(range(7)))
        self.assertEqual(found(template="other"), [])
        self.assertEqual(found(tier="jail"), list(range(7)))
        self.assertEqual(found(owner=self.made[0]["owner"]), list(range(7)))
        self.assertEqual(found(owner="abcdabcdabcdabcd"), [])
        self.assertEqual(found(created_after=self.made[3]["created_at"]), [4, 5, 6])
        self.assertEqual(found(created_before=self.made[3]["created_at"], state="running"), [1, 2])

    def test_cursors_that_are_none(self):
        good = self.api.get("/v1/sandboxes", query={"limit": 1}).json["next_cursor"]
        for wrong in ("x", "0", good[:-1], good + "A", "../../etc/passwd", "a" * 1024, "%00", "' OR 1=1"):
            with self.subTest(cursor=wrong):
                self.check_error(self.api.call("GET", "/v1/sandboxes", query={"cursor": wrong}), 400, "invalid_request")


class Templates(server.Test):
    def test_what_there_is(self):
        items = self.api.get("/v1/templates").json["items"]
        self.assertEqual([one["name"] for one in items], ["base"])
        self.assertEqual(items[0]["digest"], self.cove.digest())
        self.assertLessEqual({"python", "bash"}, set(items[0]["languages"]))
        self.assertEqual(self.api.get("/v1/templates/base").json, items[0])
        self.api.get("/v1/templates/none", status=404)

    def test_a_runtime_by_name_and_version(self):
        runtimes = self.api.get("/v1/templates/base").json["runtimes"]
        python = next(one for one in runtimes if one.startswith("python "))
        told = self.api.post("/v1/sandboxes", {"runtime": python}, status=201).json
        self.addCleanup(lambda: self.api.delete(f"/v1/sandboxes/{told['id']}"))
        self.assertEqual(told["template"], "base")
        version = self.command(f"/v1/sandboxes/{told['id']}", "python3 --version")["stdout"]
        self.assertIn(python.split()[1], version)


class Host(server.Test):
    def test_health_and_readiness_need_no_key(self):
        nobody = self.server.api()
        self.assertEqual(nobody.get("/v1/health").json["status"], "ok")
        self.assertIs(nobody.get("/v1/ready").json["ready"], True)

    def test_figures(self):
        self.api.get("/v1/sandboxes")
        text = self.admin.get("/v1/metrics").body.decode()
        self.assertRegex(text, r"(?m)^cove_\w+(\{[^}]*\})? [0-9.e+]+$")
        self.assertIn("# TYPE ", text)

    def test_layers_in_force(self):
        told = self.api.get("/v1/security").json
        names = {layer["name"] for layer in told["layers"] if layer["in_force"]}
        self.assertTrue("system_calls" in names, names)
        self.assertGreater(len(names), 4)


if __name__ == "__main__":
    server.main()
