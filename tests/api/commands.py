"""Commands over HTTP: shells and programs, their environment, input, ends, and that arguments stay arguments."""

import base64
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server


class Commands(server.Test):
    @classmethod
    def set_up(cls):
        told = cls.api.post("/v1/sandboxes", {"template": "base", "ttl": 1200, "env": {"SHARED": "s"}}, status=201).json
        cls.path = f"/v1/sandboxes/{told['id']}"

    def run_here(self, command, **wish):
        return self.command(self.path, command, **wish)

    def run_argv(self, *argv, **wish):
        return self.api.post(f"{self.path}/commands", {"argv": list(argv), **wish}, status=200).json

    def test_a_line_for_a_shell(self):
        told = self.run_here("echo a | tr a b; echo err >&2; exit 7")
        self.assertEqual((told["kind"], told["cause"], told["exit_code"], told["stdout"], told["stderr"]), ("command", "error", 7, "b\n", "err\n"))
        self.assertEqual((told["context"], told["language"], told["results"], told["error"]), (None, None, [], None))
        self.assertEqual(self.run_here("true")["cause"], "ok")

    def test_a_program_and_its_arguments(self):
        arguments = ["a b", "", ";id", "$(id)", "`id`", "a\nb", "-n", "--", "*", "ü", "'\"\\"]
        told = self.run_argv("printf", "%s\\0", *arguments)
        self.assertEqual(told["stdout"].split("\0")[:-1], arguments)
        self.assertEqual(told["argv"][0], "printf")

    def test_a_program_that_is_none(self):
        answer = self.api.post(f"{self.path}/commands", {"argv": ["/no/such/program"]})
        self.check_error(answer, 404, "not_found", "/no/such/program")

    def test_environment_and_working_directory(self):
        told = self.run_here("echo $SHARED $OWN; pwd", env={"OWN": "o"}, cwd="/tmp")
        self.assertEqual(told["stdout"], "s o\n/tmp\n")
        self.assertEqual(self.run_here("echo $OWN; pwd")["stdout"], "\n/home/user\n")
        self.assertEqual(self.run_here("pwd", cwd="sub/below", files=[{"path": "sub/below/x", "content": ""}])["stdout"], "/home/user/sub/below\n")

    def test_dangerous_variables_stay_inside(self):
        for name in ("LD_PRELOAD", "BASH_ENV", "GCONV_PATH", "PATH", "IFS", "LD_LIBRARY_PATH", "PYTHONSTARTUP"):
            with self.subTest(variable=name):
                self.run_argv("/bin/echo", "x", env={name: "/home/user/evil"})
        self.server.api().get("/v1/health")

    def test_input(self):
        self.assertEqual(self.run_here("cat", input="given\n")["stdout"], "given\n")
        self.assertEqual(self.run_here("cat; echo end")["stdout"], "end\n")
        large = "x" * 1_000_000
        self.assertEqual(self.run_here("wc -c", input=large)["stdout"].strip(), "1000000")

    def test_timeouts_take_grandchildren_along(self):
        told = self.run_here("(setsid sleep 12345 &) ; sleep 12345", timeout=0.5)
        self.assertEqual(told["cause"], "timeout")
        self.assertEqual(self.run_here("pgrep -f 'sleep 1234[5]' | wc -l")["stdout"].strip(), "0")

    def test_signals(self):
        told = self.run_here("kill -SEGV $$")
        self.assertEqual((told["cause"], told["signal"]), ("crashed", 11))

    def test_in_the_background(self):
        answer = self.api.post(f"{self.path}/commands", {"command": "echo start; sleep 1000", "background": True}, status=202)
        told = answer.json
        self.assertEqual(answer.headers["location"], f"{self.path}/executions/{told['id']}")
        self.assertEqual((told["state"], told["cause"]), ("running", None))
        self.assertEqual(self.api.get(f"{self.path}/processes/{told['id']}").json["state"], "running")
        cove.wait_until(lambda: self.api.get(f"{self.path}/executions/{told['id']}").json["stdout"] == "start\n", "its output")
        self.api.delete(f"{self.path}/executions/{told['id']}", status=200)
        cove.wait_until(lambda: self.api.get(f"{self.path}/executions/{told['id']}").json["state"] == "ended", "its end")
        self.assertEqual(self.api.get(f"{self.path}/executions/{told['id']}").json["cause"], "cancelled")

    def test_as_a_stream(self):
        events = self.api.events("POST", f"{self.path}/commands", {"command": "echo a; echo b >&2; exit 2", "stream": "sse"})
        self.assertEqual((events[0]["type"], server.text_of(events), server.text_of(events, "stderr")), ("started", "a\n", "b\n"))
        self.assertEqual((events[-1]["type"], events[-1]["cause"], events[-1]["exit_code"]), ("ended", "error", 2))

    def test_outputs(self):
        told = self.run_here("seq 3 > out.txt", outputs=["out.txt"])
        self.assertEqual(base64.b64decode(told["outputs"][0]["content"]), b"1\n2\n3\n")

    def test_many_at_once(self):
        ids = [self.api.post(f"{self.path}/commands", {"command": f"echo {number}", "background": True}, status=202).json["id"] for number in range(30)]
        for number, one in enumerate(ids):
            events = self.api.events("GET", f"{self.path}/executions/{one}/events")
            self.assertEqual((server.text_of(events), events[-1]["cause"]), (f"{number}\n", "ok"))

    def test_wrong_wishes(self):
        for body in ({}, {"command": "a", "argv": ["a"]}, {"argv": []}, {"argv": "ls"}, {"command": ["ls"]}, {"command": ""}, {"command": "a\0b"}, {"argv": ["a\0"]},
                     {"command": "a", "cwd": ""}, {"command": "a", "env": {"A=B": "c"}}, {"command": "a", "env": {"": "c"}}, {"command": "a", "env": {"A": 1}},
                     {"command": "a", "env": {"A": "b\0c"}}, {"command": "a", "timeout": 0}, {"command": "a", "timeout": 1e9}, {"command": "a", "background": "yes"},
                     {"command": "a", "background": True, "stream": "sse"}, {"command": "a", "background": True, "outputs": ["x"]}, {"command": "a", "more": 1}):
            with self.subTest(body=body):
                self.check_error(self.api.post(f"{self.path}/commands", body), 400, "invalid_request")


if __name__ == "__main__":
    server.main()
