"""The completion script is valid and completes."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


DRIVER = """
source <("$COVE" completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_cove
printf '%s\\n' "${COMPREPLY[@]}"
"""


class ShellCompletion(cove.Test):
    def complete(self, *words):
        done = subprocess.run(["bash", "-c", DRIVER, "bash", *words], env=os.environ | {"COVE": cove.program("cove")},
                              capture_output=True, check=False, cwd="/var/empty" if os.path.isdir("/var/empty") else "/proc/self/fdinfo")
        self.check_run(done, 0, stderr=b"")
        return set(done.stdout.decode().split())

    def test_both_scripts_are_valid(self):
        for shell in ("bash", "zsh"):
            done = self.cove.call("completion", shell)
            self.check_run(done, 0, stderr=b"")
            self.assertGreater(len(done.stdout), 200)
            checked = subprocess.run(["bash", "-n"], input=done.stdout, capture_output=True, check=False)
            self.check_run(checked, 0, stderr=b"")

    def test_commands(self):
        self.assertLessEqual({"run", "template", "doctor", "spawner", "completion"}, self.complete("cove", ""))
        self.assertIn("run", self.complete("cove", "r"))
        self.assertNotIn("template", self.complete("cove", "r"))
        self.assertLessEqual({"build", "list", "show", "rm"}, self.complete("cove", "template", ""))
        self.assertLessEqual({"status", "stop"}, self.complete("cove", "spawner", ""))

    def test_options(self):
        self.assertLessEqual({"--memory", "--json", "--workspace"}, self.complete("cove", "run", "--"))
        self.assertEqual(self.complete("cove", "run", "--mem"), {"--memory"})
        self.assertIn("--recipe", self.complete("cove", "template", "build", "--r"))
        self.assertIn("--json", self.complete("cove", "doctor", "--j"))


if __name__ == "__main__":
    cove.main()
