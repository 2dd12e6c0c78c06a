"""Executions over HTTP: documents, events, re-attaching, cancelling, languages, files that come and go with a call."""

import base64
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server
import websocket

PNG = ("import base64; from IPython.display import Image\n"
       "Image(data=base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), format='png')")
SLEEP = "print('go', flush=True)\nimport time\ntime.sleep(1000)"


class Executions(server.Test):
    @classmethod
    def set_up(cls):
        told = cls.api.post("/v1/sandboxes", {"template": "base", "ttl": 1200, "limits": {"memory_mb": 512}}, status=201).json
        cls.path = f"/v1/sandboxes/{told['id']}"

    def run_here(self, code, language="python", **wish):
        return self.run_code(self.path, code, language, **wish)

    def events_of(self, execution, **options):
        return self.api.events("GET", f"{self.path}/executions/{execution}/events", **options)

    def started(self, code=SLEEP, **wish):
        """The id of an execution that has said 'go'."""
        with self.api.stream("POST", f"{self.path}/executions", {"code": code, "stream": "sse", "timeout": 2000, **wish}) as events:
            seen = []
            for event in events:
                seen.append(event)
                if server.text_of(seen).startswith("go\n"):
                    return seen[0]["execution"], seen
        raise AssertionError("it ended")

    # Documents.

    def test_a_value_output_and_state_that_is_kept(self):
        first = self.run_here("x = 41\nprint('out')\nimport sys\nprint('err', file=sys.stderr)")
        self.assertEqual((first["cause"], first["state"], first["exit_code"], first["stdout"], first["stderr"]), ("ok", "ended", 0, "out\n", "err\n"))
        self.assertEqual((first["results"], first["error"], first["kind"], first["language"], first["argv"]), ([], None, "code", "python", None))
        self.assertGreater(first["receipt"]["wall_us"], 0)
        second = self.run_here("x + 1")
        self.assertEqual([(one["main"], one["data"]["text/plain"]) for one in second["results"]], [(True, "42")])
        self.assertEqual(second["context"], first["context"])
        self.assertEqual(self.api.get(f"{self.path}/executions/{second['id']}").json, second | {"outputs": []})

    def test_code_that_fails_is_no_failure_of_the_call(self):
        told = self.run_here("1/0")
        self.assertEqual((told["cause"], told["error"]["name"], told["error"]["value"]), ("error", "ZeroDivisionError", "division by zero"))
        self.assertIn("1/0", told["error"]["traceback"])
        told = self.run_here("import sys; sys.exit(3)")
        self.assertEqual((told["cause"], told["exit_code"]), ("error", 3))

    def test_pictures_and_displays(self):
        told = self.run_here(PNG)
        self.assertTrue(base64.b64decode(told["results"][0]["data"]["image/png"]).startswith(b"\x89PNG\r\n"))
        told = self.run_here("from IPython.display import display, HTML\ndisplay(HTML('<b>x</b>'))\n7")
        self.assertEqual([one["main"] for one in told["results"]], [False, True])
        self.assertEqual(told["results"][0]["data"]["text/html"], "<b>x</b>")

    def test_every_language_keeps_its_own_state(self):
        for language, define, use, expected in (("python", "a = 1", "print(a + 1)", "2\n"), ("javascript", "let a = 2", "console.log(a + 1)", "3\n"),
                                                ("typescript", "let b: number = 3", "console.log(b + 1)", "4\n"), ("bash", "a=4", "echo $((a + 1))", "5\n")):
            with self.subTest(language=language):
                self.assertEqual(self.run_here(define, language)["cause"], "ok")
                told = self.run_here(use, language)
                self.assertEqual((told["stdout"], told["language"]), (expected, language))

    def test_a_language_by_its_other_names(self):
        self.assertEqual(self.run_here("echo $((6 * 7))", "sh")["language"], "bash")
        self.check_error(self.api.post(f"{self.path}/executions", {"code": "1", "language": "cobol"}), 400, "invalid_request")

    def test_timeouts(self):
        told = self.run_here("kept = 1\nwhile True: pass", timeout=0.5)
        self.assertEqual(told["cause"], "timeout")
        self.assertIn("time", told["receipt"]["limits_hit"])
        self.assertEqual(self.run_here("kept")["results"][0]["data"]["text/plain"], "1")

    def test_memory_that_runs_out_has_a_cause_and_the_context_comes_back(self):
        told = self.run_here("a = bytearray(2 << 30)\nfor i in range(0, len(a), 4096): a[i] = 1")
        self.assertIn(told["cause"], ("out_of_memory", "error"))  # MemoryError, where the kernel says no at once
        self.assertEqual(self.run_here("1 + 1")["results"][0]["data"]["text/plain"], "2")

    def test_input(self):
        self.assertEqual(self.run_here("print(input()[::-1])", input="abc\n")["stdout"], "cba\n")
        self.assertEqual(self.run_here("input()")["cause"], "error")

    def test_output_past_the_cap_is_counted_and_not_kept(self):
        before = self.server.memory()
        told = self.run_here("import sys\nfor _ in range(400): sys.stdout.write('x' * (1 << 20))", timeout=120)
        output = told["receipt"]["output"]
        self.assertEqual(told["cause"], "ok")
        self.assertLessEqual(len(told["stdout"]), (10 << 20) + 4096)
        self.assertGreaterEqual(len(told["stdout"]), 9 << 20)
        self.assertGreater(output["dropped_bytes"], 380 << 20)
        self.assertIn("output", told["receipt"]["limits_hit"])
        self.assertLess(self.server.memory() - before, 150 << 20)

    def test_bytes_that_are_no_text(self):
        told = self.run_here("import os; n = os.write(1, b'a\\xff\\x00b\\x1b[31m\\n')")
        self.assertEqual(told["stdout"], "a\ufffd\x00b\x1b[31m\n")

    # Streams.

    def check_numbers(self, events, first=1):
        self.assertEqual([event["number"] for event in events], list(range(first, first + len(events))))

    def test_events_as_they_come(self):
        events = self.api.events("POST", f"{self.path}/executions", {"code": "print('one')\ndisplay(2)\nprint('three')\n4", "stream": "sse"})
        self.check_numbers(events)
        self.assertEqual([event["type"] for event in events], ["started", "stdout", "display", "stdout", "result", "ended"])
        self.assertEqual((events[1]["text"], events[3]["text"], events[4]["data"]["text/plain"], events[5]["cause"]), ("one\n", "three\n", "4", "ok"))
        document = self.api.get(f"{self.path}/executions/{events[0]['execution']}").json
        self.assertEqual((document["stdout"], len(document["results"]), document["receipt"]), ("one\nthree\n", 2, events[5]["receipt"]))

    def test_output_is_told_while_the_code_runs(self):
        execution, _ = self.started("print('go', flush=True)\nprint(input())", input="later\n")
        self.assertEqual(server.text_of(self.events_of(execution)), "go\nlater\n")

    def test_a_client_that_goes_cancels_nothing_and_can_come_back(self):
        code = "print('go', flush=True)\nimport time\nfor i in range(50):\n    print(i, flush=True)\n    time.sleep(0.01)"
        execution, seen = self.started(code)
        self.check_numbers(seen)
        rest = self.events_of(execution, query={"after": seen[-1]["number"]})
        self.check_numbers(rest, seen[-1]["number"] + 1)
        self.assertEqual(server.text_of(seen + rest), "go\n" + "".join(f"{i}\n" for i in range(50)))
        self.assertEqual(rest[-1]["cause"], "ok")
        header = self.events_of(execution, headers={"Last-Event-ID": str(seen[-1]["number"])})
        self.assertEqual(server.text_of(header), server.text_of(rest))
        self.assertEqual(self.events_of(execution, query={"after": rest[-1]["number"]}), [])

    def test_several_may_listen(self):
        execution, _ = self.started("print('go', flush=True)\nimport time\ntime.sleep(0.3)\nprint('end')")
        heard = []

        def listen():
            heard.append(server.text_of(self.server.api(self.api.key).events("GET", f"{self.path}/executions/{execution}/events")))

        threads = [threading.Thread(target=listen) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(heard, ["go\nend\n"] * 10)

    def test_by_websocket(self):
        execution, seen = self.started("print('go', flush=True)\nprint('end')")
        operation = server.CONTRACT.operation("executionEvents")
        for query, first in (({}, 1), ({"after": seen[-1]["number"]}, seen[-1]["number"] + 1)):
            events = []
            with self.api.websocket(f"{self.path}/executions/{execution}/events", query=query) as socket:
                try:
                    while True:
                        events.append(json.loads(socket.receive()))
                        server.CONTRACT.check_event(operation, events[-1])
                except websocket.Closed as closed:
                    self.assertEqual(closed.code, 1000)
            self.check_numbers(events, first)
            self.assertEqual(events[-1]["type"], "ended")

    def test_a_long_flood_arrives_whole(self):
        events = self.api.events("POST", f"{self.path}/executions", {"code": "for i in range(200_000): print(f'{i:06}')", "stream": "sse"})
        self.check_numbers(events)
        self.assertEqual(server.text_of(events), "".join(f"{i:06}\n" for i in range(200_000)))

    # Ends.

    def test_cancelling(self):
        execution, _ = self.started()
        self.assertEqual(self.api.delete(f"{self.path}/executions/{execution}", status=200).json["id"], execution)
        self.assertEqual(self.events_of(execution)[-1]["cause"], "cancelled")
        told = self.api.delete(f"{self.path}/executions/{execution}", status=200).json
        self.assertEqual((told["state"], told["cause"]), ("ended", "cancelled"))

    def test_cancelling_what_does_not_listen(self):
        stubborn = "print('go', flush=True)\nimport time\nwhile True:\n    try: time.sleep(1000)\n    except BaseException: pass"
        execution, _ = self.started(stubborn)
        self.api.delete(f"{self.path}/executions/{execution}", status=200)
        self.assertEqual(self.events_of(execution)[-1]["cause"], "cancelled")
        self.assertEqual(self.run_here("1")["cause"], "ok")

    def test_executions_of_a_context_wait_for_each_other(self):
        running, _ = self.started()
        done = []
        thread = threading.Thread(target=lambda: done.append(self.server.api(self.api.key).post(f"{self.path}/executions", {"code": "5"}, status=200).json))
        thread.start()
        waiting = {}

        def waits():
            items = self.api.get(f"{self.path}/executions", query={"state": "waiting"}).json["items"]
            waiting.update({one["id"]: one for one in items})
            return waiting

        cove.wait_until(waits, "an execution that waits")
        self.assertIsNone(next(iter(waiting.values()))["started_at"])
        self.api.delete(f"{self.path}/executions/{running}", status=200)
        thread.join()
        self.assertEqual((done[0]["id"] in waiting, done[0]["cause"]), (True, "ok"))

    def test_lists_and_pages(self):
        ids = [self.run_here(str(number))["id"] for number in range(5)]
        page = self.api.get(f"{self.path}/executions", query={"limit": 2}).json
        self.assertEqual([one["id"] for one in page["items"]], ids[:2:-1])
        page = self.api.get(f"{self.path}/executions", query={"limit": 2, "cursor": page["next_cursor"]}).json
        self.assertEqual([one["id"] for one in page["items"]], ids[2:0:-1])
        self.assertTrue(all(one["kind"] == "code" for one in self.api.get(f"{self.path}/executions", query={"kind": "code"}).json["items"]))

    def test_what_is_none(self):
        self.api.get(f"{self.path}/executions/abcdabcdabcdabcd", status=404)
        self.api.get(f"{self.path}/executions/abcdabcdabcdabcd/events", status=404)
        self.api.delete(f"{self.path}/executions/abcdabcdabcdabcd", status=404)
        self.check_error(self.api.post(f"{self.path}/executions", {"code": "1", "context": "abcdabcdabcd"}), 404, "not_found")

    # Files.

    def test_files_with_the_call_and_files_in_the_answer(self):
        raw = bytes(range(256)) * 100
        files = [{"path": "in/a.txt", "content": "ü text\n"}, {"path": "/home/user/in/b.bin", "content": base64.b64encode(raw).decode(), "encoding": "base64"}]
        code = "data = open('in/b.bin', 'rb').read(); open('out.bin', 'wb').write(data[::-1]); print(open('in/a.txt').read(), end='')"
        told = self.run_here(code, files=files, outputs=["out.bin", "missing.txt", "/home/user/in"])
        self.assertEqual((told["cause"], told["stdout"]), ("ok", "ü text\n"))
        out, missing, directory = told["outputs"]
        self.assertEqual((out["path"], out["size"], base64.b64decode(out["content"]), out["error"]), ("out.bin", len(raw), raw[::-1], None))
        self.assertEqual((missing["path"], missing["content"], missing["error"]["code"]), ("missing.txt", None, "not_found"))
        self.assertEqual((directory["content"], directory["error"]["code"]), (None, "conflict"))

    def test_outputs_in_a_stream_come_with_its_end(self):
        events = self.api.events("POST", f"{self.path}/executions", {"code": "open('s.txt', 'w').write('x'); None", "outputs": ["s.txt"], "stream": "sse"})
        self.assertEqual(base64.b64decode(events[-1]["outputs"][0]["content"]), b"x")

    def test_files_that_cannot_be_written(self):
        for files, status in (([{"path": "/proc/x", "content": ""}], (403, 404, 409)), ([{"path": "a", "content": "!!!", "encoding": "base64"}], (400,)),
                              ([{"path": "a\0b", "content": ""}], (400,)), ([{"path": "", "content": ""}], (400,))):
            with self.subTest(files=files):
                answer = self.api.post(f"{self.path}/executions", {"code": "1", "files": files})
                self.assertIn(answer.status, status, answer)


class OneShot(server.Test):
    def execute(self, status=200, **wish):
        return self.api.post("/v1/execute", {"template": "base", **wish}, status=status).json

    def test_code_and_commands(self):
        told = self.execute(code="print(6 * 7)")
        self.assertEqual((told["cause"], told["stdout"], told["kind"]), ("ok", "42\n", "code"))
        told = self.execute(command="echo $0 $X; exit 3", env={"X": "y"})
        self.assertEqual((told["cause"], told["exit_code"], told["stdout"]), ("error", 3, "/bin/bash y\n"))
        told = self.execute(argv=["printf", "%s|", "a b", "$HOME"])
        self.assertEqual(told["stdout"], "a b|$HOME|")
        self.assertEqual(self.execute(code="console.log(1)", language="js")["stdout"], "1\n")

    def test_files_limits_and_timeouts(self):
        told = self.execute(code="open('b', 'w').write(open('a').read() * 2); None", files=[{"path": "a", "content": "x"}], outputs=["b"], limits={"memory_mb": 128})
        self.assertEqual(base64.b64decode(told["outputs"][0]["content"]), b"xx")
        self.assertEqual(self.execute(code="while True: pass", timeout=0.3)["cause"], "timeout")

    def test_its_sandbox_is_gone(self):
        told = self.execute(code="1")
        self.assertEqual(self.api.get("/v1/sandboxes", query={"state": "running"}).json["items"], [])
        cove.wait_until(lambda: told["sandbox"] not in self.cove.sandboxes(), "its end")

    def test_wrong_wishes(self):
        for wish in ({}, {"code": "1", "command": "x"}, {"code": "1", "language": "cobol"}, {"command": ""}, {"argv": []}):
            with self.subTest(wish=wish):
                self.assertEqual(self.execute(400, **wish)["error"]["code"], "invalid_request")


class Preloaded(server.Test):
    """With the packages that data work needs."""

    templates = ("base", "python")

    def test_a_plot_and_a_data_frame(self):
        path = self.sandbox(template="python", limits={"memory_mb": 1024})
        told = self.run_code(path, "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.title('t')\nplt.show()")
        data = told["results"][0]["data"]
        self.assertTrue(base64.b64decode(data["image/png"]).startswith(b"\x89PNG"))
        self.assertEqual(data["application/vnd.cove.chart+json"]["type"], "line")
        told = self.run_code(path, "import pandas as pd\npd.DataFrame({'a': [1, 2]})")
        self.assertEqual(told["results"][0]["data"]["application/vnd.cove.dataframe+json"]["columns"], ["a"])
        self.assertIn("<table", told["results"][0]["data"]["text/html"])

    def test_it_is_the_default(self):
        told = self.api.post("/v1/sandboxes", status=201).json
        self.addCleanup(lambda: self.api.delete(f"/v1/sandboxes/{told['id']}"))
        self.assertEqual(told["template"], "python")


if __name__ == "__main__":
    server.main()
