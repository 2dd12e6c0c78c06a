"""Words for what a cell should say, event by event."""

import os
import shutil
import sys
import unittest

from driver import Runtime
from environments import scratch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from matchers import Has, Like, Magic, Positive  # noqa: E402, F401


PNG = Magic(b"\x89PNG\r\n")
JPEG = Magic(b"\xff\xd8\xff")
OK = {"type": "done", "status": "ok", "exit_code": None}
FAILED = {"type": "done", "status": "error", "exit_code": None}


def out(text):
    return {"type": "stdout", "text": text}


def err(text):
    return {"type": "stderr", "text": text}


def error(name, value, traceback=None):
    return {"type": "error", "name": name, "value": value, "traceback": Like(".") if traceback is None else traceback}


def notice(text):
    return {"type": "notice", "text": text}


def ended(code, status=None):
    return {"type": "done", "status": status or ("error" if code else "ok"), "exit_code": code}


class Cells(unittest.TestCase):
    """One context per class, as in a notebook: cells of its tests see what earlier ones left. `command()` starts the runtime."""

    maxDiff = 4000
    environment = {}

    @classmethod
    def setUpClass(cls):
        cls.home = scratch()
        environment = {"PATH": os.environ["PATH"], "HOME": cls.home, "LANG": "C.UTF-8", **cls.environment}
        cls.runtime = Runtime(cls.command(), cwd=cls.home, environment=environment, root=cls.root())

    @classmethod
    def root(cls):
        """The root directory it runs in: the machine's, unless a class says otherwise."""
        return None

    @classmethod
    def tearDownClass(cls):
        status = cls.runtime.close()
        shutil.rmtree(cls.home)
        assert status == 0, f"the runtime ended with {status} when its channel was closed"

    def judged(self, judgement, *codes, **more):
        """Code that is only checked leaves nothing behind; each of these gets this judgement."""
        for code in codes:
            with self.subTest(code=code):
                (verdict, done) = self.runtime.run(code, None, None, purpose="check", **more)
                self.assertEqual(verdict, {"type": "completeness", "status": judgement})
                self.assertEqual(done["status"], "ok")

    def cell(self, code, *expected, stdin=None, interrupt_on=None, **more):
        events = self.runtime.run(code, stdin, interrupt_on, **more)
        if list(expected) != events:
            self.fail(f"cell {code!r}\n  said   {_lines(events)}\n  wanted {_lines(expected)}")


def _lines(events):
    return "\n         ".join(text if len(text) < 3000 else text[:3000] + "…" for text in map(repr, events)) or "nothing"
