"""The engine in a process of its own (tests/contexts/visitor.cc), driven by a test."""

import json
import subprocess

import cove


class Refused(Exception):
    """What the engine answered; `code` names the kind of error."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Visitor:
    def __init__(self, instance):
        self._child = subprocess.Popen([cove.program("context-visitor"), instance.state], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, what, **more):
        self._child.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise AssertionError(f"the visitor has ended with {self._child.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"], answer["code"])
        return answer

    def sandbox(self, template, **more):
        return self.ask("sandbox", template=template, **more)["sandbox"]

    def enter(self, sandbox):
        return self.ask("enter", sandbox=sandbox)["context"]

    def run(self, context, code):
        return self.ask("run", context=context, code=code)

    def close(self):
        self._child.stdin.close()
        self._child.wait(cove.PATIENCE)
        self._child.stdout.close()
