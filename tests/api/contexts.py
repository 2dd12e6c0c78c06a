"""Contexts over HTTP: several at once, each with a state of its own; interrupt, restart, end."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import server


class Contexts(server.Test):
    def setUp(self):
        self.path = self.sandbox()

    def make(self, **wish):
        return self.api.post(f"{self.path}/contexts", wish, status=201).json

    def value(self, code, **wish):
        told = self.api.post(f"{self.path}/executions", {"code": code, **wish}, status=200).json
        self.assertEqual(told["cause"], "ok", told)
        return told["stdout"]

    def test_each_has_its_own_state(self):
        first, second = self.make(), self.make(language="python")
        self.value("x = 1", context=first["id"])
        self.value("x = 2", context=second["id"])
        self.value("x = 3")
        self.assertEqual([self.value("print(x)", context=one) for one in (first["id"], second["id"])], ["1\n", "2\n"])
        self.assertEqual(self.value("print(x)"), "3\n")

    def test_directory_and_variables(self):
        one = self.make(language="bash", cwd="/tmp", env={"A": "b"})
        self.assertEqual((one["cwd"], one["language"], one["default"]), ("/tmp", "bash", False))
        self.assertEqual(self.value("pwd; echo $A; cd /", context=one["id"]), "/tmp\nb\n")
        self.assertEqual(self.value("pwd", context=one["id"]), "/\n")

    def test_listed_with_the_default_ones(self):
        one = self.make(language="javascript")
        self.value("true", language="bash")
        items = self.api.get(f"{self.path}/contexts").json["items"]
        self.assertEqual({(item["language"], item["default"]) for item in items}, {("javascript", False), ("bash", True)})
        self.assertEqual(self.api.get(f"{self.path}/contexts/{one['id']}").json["state"], "idle")

    def test_another_language_than_its_own_is_refused(self):
        one = self.make(language="bash")
        self.check_error(self.api.post(f"{self.path}/executions", {"code": "1", "language": "python", "context": one["id"]}), 409, "conflict")
        self.assertEqual(self.value("echo a", context=one["id"]), "a\n")

    def busy(self, context):
        """The stream of an execution that has said 'go'."""
        stream = self.api.stream("POST", f"{self.path}/executions", {"code": "kept = 1\nprint('go', flush=True)\nimport time\ntime.sleep(1000)", "context": context, "timeout": 2000, "stream": "sse"})
        events = iter(self.enter(stream))
        next(event for event in events if event.get("text") == "go\n")
        return events

    def enter(self, manager):
        entered = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return entered

    def test_interrupting_keeps_the_state(self):
        one = self.make()["id"]
        events = self.busy(one)
        told = self.api.get(f"{self.path}/contexts/{one}").json
        self.assertEqual(told["state"], "busy")
        self.assertIsNotNone(told["execution"])
        self.api.post(f"{self.path}/contexts/{one}/interrupt", status=200)
        self.assertEqual(list(events)[-1]["cause"], "interrupted")
        self.assertEqual(self.value("print(kept)", context=one), "1\n")
        self.api.post(f"{self.path}/contexts/{one}/interrupt", status=200)

    def test_restarting_loses_it(self):
        one = self.make(env={"A": "b"})["id"]
        events = self.busy(one)
        self.assertEqual(self.api.post(f"{self.path}/contexts/{one}/restart", status=200).json["id"], one)
        self.assertEqual(list(events)[-1]["cause"], "cancelled")
        self.assertEqual(self.value("import os; print('kept' in globals(), os.environ['A'])", context=one), "False b\n")

    def test_ending_one(self):
        one = self.make()["id"]
        events = self.busy(one)
        self.api.delete(f"{self.path}/contexts/{one}", status=204)
        self.assertEqual(list(events)[-1]["cause"], "cancelled")
        self.api.get(f"{self.path}/contexts/{one}", status=404)
        self.api.delete(f"{self.path}/contexts/{one}", status=404)
        self.check_error(self.api.post(f"{self.path}/executions", {"code": "1", "context": one}), 404, "not_found")

    def test_one_that_dies_is_told_and_comes_back(self):
        one = self.make()["id"]
        told = self.api.post(f"{self.path}/executions", {"code": "import os; os._exit(5)", "context": one}, status=200).json
        self.assertEqual(told["cause"], "context_lost")
        told = self.api.post(f"{self.path}/executions", {"code": "1 + 1", "context": one}, status=200).json
        self.assertEqual((told["cause"], told["results"][0]["data"]["text/plain"]), ("ok", "2"))
        self.assertTrue(told["notices"])

    def test_there_is_an_end_to_their_number(self):
        answer = None
        for _ in range(70):
            answer = self.api.post(f"{self.path}/contexts", {"language": "bash"})
            if answer.status != 201:
                break
        self.check_error(answer, 429, "too_many_requests")
        one = self.api.get(f"{self.path}/contexts").json["items"][0]["id"]
        self.api.delete(f"{self.path}/contexts/{one}", status=204)
        self.make(language="bash")

    def test_wrong_wishes(self):
        for wish in ({"language": "cobol"}, {"cwd": 1}, {"env": []}, {"more": 1}):
            self.check_error(self.api.post(f"{self.path}/contexts", wish), 400, "invalid_request")


if __name__ == "__main__":
    server.main()
