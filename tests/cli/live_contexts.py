"""Contexts of the template base, in a sandbox: what is installed while they live goes to the user's home and is there at once."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import npm_registry

MAKE_WHEEL = os.path.join(cove.TESTS, "compat", "make_wheel.py")
SUPPORT = os.path.join(cove.TESTS, "runtimes", "support")
HOME = "/home/user"
OK = {"type": "done", "status": "ok", "exit_code": None}


class LiveContexts(cove.Test):
    config = "workspace_roots = /var/tmp\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        os.chmod(cls.folder.name, 0o755)
        for name in ("driver.py", "notebook.py"):
            shutil.copy(os.path.join(SUPPORT, name), cls.folder.name)
        wheel = subprocess.run([sys.executable, MAKE_WHEEL, cls.folder.name], check=True, capture_output=True, text=True).stdout.strip()
        cls.pip = f"pip install --quiet --no-index /workspace/{os.path.basename(wheel)}"
        for name in ("cove-near", "cove-far"):
            with open(os.path.join(cls.folder.name, f"{name}.tgz"), "wb") as file:
                file.write(npm_registry.package(name))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def notebook(self, runtime, *cells):
        """The events of each cell, all in one context of a sandbox of its own, which has no network."""
        done = self.cove.run("--workspace", f"{self.folder.name}:ro", "--", "python3", "-B", "/workspace/notebook.py", *runtime.split(), input=json.dumps(cells).encode())
        self.check_run(done, 0)
        told = json.loads(done.stdout)
        self.assertEqual(told["ready"]["language"], runtime.split()[0])
        return told["cells"]

    def value(self, events):
        """Of a cell that told its value and nothing else."""
        self.assertEqual([event["type"] for event in events], ["result", "done"], events)
        return events[0]["data"]["text/plain"]

    def failure(self, events):
        self.assertEqual([event["type"] for event in events], ["error", "done"], events)
        return events[0]["value"]

    def test_python_imports_what_was_installed_by_a_command(self):
        before, installed, after = self.notebook("python", "import cove_tiny", f"!{self.pip}", "import cove_tiny; cove_tiny.answer(), cove_tiny.__file__")
        self.assertIn("cove_tiny", self.failure(before))
        self.assertEqual(installed, [OK])
        self.assertEqual(self.value(after), f"(42, '{HOME}/.local/lib/python3.13/site-packages/cove_tiny/__init__.py')")

    def test_python_imports_what_was_installed_in_the_same_cell(self):
        for install in (f"import subprocess; subprocess.run({self.pip.split()}, check=True)", f"%{self.pip}"):
            with self.subTest(install=install):
                told, = self.notebook("python", f"{install}\nimport cove_tiny; print(cove_tiny.answer())")
                self.assertIn({"type": "stdout", "text": "42\n"}, [event | {"text": event["text"][-3:]} for event in told if event["type"] == "stdout"])
                self.assertEqual(told[-1], OK)

    def test_javascript_requires_and_imports_what_was_installed(self):
        run = "require('node:child_process').execSync"
        before, near, far, both, esm = self.notebook(
            "javascript", "require('cove-near')", f"{run}('npm install --offline --silent /workspace/cove-near.tgz'); 0",
            f"{run}('npm install --offline --silent -g /workspace/cove-far.tgz'); 0",
            "[require('cove-near')(), require('cove-far')(), require.resolve('cove-near'), require.resolve('cove-far')]",
            "import near from 'cove-near'; near()")
        self.assertIn("cove-near", self.failure(before))
        self.assertEqual([self.value(near), self.value(far)], ["0", "0"])
        text = self.value(both)
        for part in ("42", f"'{HOME}/node_modules/cove-near/index.js'", f"'{HOME}/.local/lib/node_modules/cove-far/index.js'"):
            self.assertIn(part, text)
        self.assertEqual(self.value(esm), "42")

    def test_typescript_is_understood(self):
        told = self.notebook("javascript typescript", "const same = (x: number): number => x; same(42)", "same(1)")
        self.assertEqual([self.value(events) for events in told], ["42", "1"])

    def test_bash_finds_programs_that_were_installed(self):
        told = self.notebook("bash", "cove-tiny; echo $?", f"{self.pip}; npm install --offline --silent -g /workspace/cove-far.tgz >/dev/null", "command -v cove-tiny cove-far; cove-far")
        self.assertIn({"type": "stdout", "text": "127\n"}, told[0])
        self.assertEqual(told[2], [{"type": "stdout", "text": f"{HOME}/.local/bin/cove-tiny\n{HOME}/.local/bin/cove-far\n42\n"}, OK | {"exit_code": 0}])


if __name__ == "__main__":
    cove.main()
