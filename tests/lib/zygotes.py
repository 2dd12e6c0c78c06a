"""What tests of zygotes share: a template with a Python runtime, a spawner, and an engine for each test."""

import glob

import cove
import python_template
import traces
import visitor


class Zygotes(cove.Test):
    templates = ("base",)
    config = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = python_template.make(cls.cove)
        cls.cove.configure(cls.config)
        cls.spawner = cls.cove.start_spawner()

    @classmethod
    def tearDownClass(cls):
        cls.cove.stop_spawner()
        super().tearDownClass()

    def setUp(self):
        self.visitor = visitor.Visitor(self.cove)
        self.addCleanup(self.visitor.close)

    def variant(self, preload=(), **extra):
        return python_template.variant(self.cove, self.plain, preload, extra)

    def zygotes(self):
        """Their pids, as the host sees them."""
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            if traces.group_of(path, self.cove.tag) and b"zygote.py" in traces.read(f"{path}/cmdline").encode() and not traces.is_in_pid_namespace(path):
                found.append(int(path.removeprefix("/proc/")))
        return found
