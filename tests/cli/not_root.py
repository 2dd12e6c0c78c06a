"""Without root: a message that says what to do, and nothing made."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class NotRoot(cove.Test):
    def as_nobody(self, *arguments):
        # A place that nobody can reach, so that the program's own message is seen and not that of the shell.
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            copy = shutil.copy(cove.program("cove"), folder)
            return subprocess.run([*AS_NOBODY, copy, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL, cwd="/")

    def test_says_so_and_what_to_do(self):
        commands = {"cove run": ["run", "-c", "1"], "cove template list": ["template", "list"], "cove template build": ["template", "build", "base"],
                    "cove template show": ["template", "show", "base"], "cove template rm": ["template", "rm", "base"],
                    "cove serve": ["serve"], "cove service install": ["service", "install"], "cove service remove": ["service", "remove"]}
        for name, arguments in commands.items():
            for state in ([], ["--state", self.cove.state], ["--state", "/tmp/cove-nobody-made-this"]):
                with self.subTest(command=name, state=state):
                    self.check_refused(self.as_nobody(*state, *arguments), 125, f"{name} needs root", "sudo")
        self.assertFalse(os.path.exists("/tmp/cove-nobody-made-this"))

    def test_the_spawner_too(self):
        for arguments in (["spawner", "status"], ["spawner", "stop"]):
            done = self.as_nobody("--state", self.cove.state, *arguments)
            self.assertNotEqual(done.returncode, 2)
            self.assertNotIn(b"terminate called", done.stderr)
        done = subprocess.run([*AS_NOBODY, cove.program("cove-spawner"), "--state", "/tmp/cove-nobody-made-this"], capture_output=True, check=False, cwd="/")
        self.check_refused(done, 1, "must run as root")
        self.assertFalse(os.path.exists("/tmp/cove-nobody-made-this"))

    def test_doctor_answers_anybody(self):
        done = self.as_nobody("doctor")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"root", done.stdout)


if __name__ == "__main__":
    cove.main()
