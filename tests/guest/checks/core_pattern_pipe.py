"""A core_pattern that is a pipe starts a program of the host as root for every crash, unless RLIMIT_CORE is 1."""

import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))

import cove
import guest
import traces

PATTERN = "/proc/sys/kernel/core_pattern"
CRASH = "import os; os.kill(os.getpid(), 11)"


class CorePattern(cove.Test):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cores-")
        self.marker = f"{self.folder}/called"
        handler = f"{self.folder}/handler"
        guest.write(handler, f"#!/bin/sh\ncat >/dev/null\necho \"$1\" >>{self.marker}\n")
        os.chmod(handler, 0o755)
        self.before = traces.read(PATTERN)
        guest.write(PATTERN, f"|{handler} %e.%I")

    def tearDown(self):
        guest.write(PATTERN, self.before)

    def crash_on_the_host(self, limit):
        done = subprocess.run([sys.executable, "-c", CRASH], check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (limit, limit)))
        self.assertEqual(done.returncode, -11)

    def calls(self):
        return traces.read(self.marker).count("\n")

    def test_the_handler_is_not_called_for_a_sandbox(self):
        self.crash_on_the_host(0)
        cove.wait_until(lambda: self.calls() == 1, "the handler's mark: zero bytes of core do not keep it away")
        for options in ((), ("--root",)):
            done, _, told = self.cove.receipt(*options, "-c", CRASH)
            self.assertEqual((done.returncode, told["signal"]), (139, 11), done.stderr)
        # Handlers come in turn: when this one has been, theirs would have been too.
        self.crash_on_the_host(0)
        cove.wait_until(lambda: self.calls() >= 2, "the second mark")
        time.sleep(2)
        self.assertEqual(self.calls(), 2, traces.read(self.marker))

    def test_a_sandbox_cannot_ask_for_it(self):
        """Whether a program is refused another limit or told that it has it is not the question here."""
        for limit in ("0", "resource.RLIM_INFINITY"):
            ask = f"import resource\ntry: resource.setrlimit(resource.RLIMIT_CORE, ({limit}, {limit}))\nexcept (OSError, ValueError): pass\n"
            for options in ((), ("--root",)):
                done = self.cove.run(*options, "-c", ask + CRASH)
                self.assertEqual(done.returncode, 139, done.stderr)
        self.crash_on_the_host(0)
        cove.wait_until(lambda: self.calls() >= 1, "the mark of the host's own crash")
        time.sleep(2)
        self.assertEqual(self.calls(), 1, traces.read(self.marker))


if __name__ == "__main__":
    cove.main()
