"""Runs every compatibility twin in a sandbox."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))

import cove
import traces


FOLDER = os.path.join(cove.TESTS, "compat")
LANGUAGES = {".py": "python3", ".sh": "sh", ".js": "node"}
HELPERS = {"compat.py", "lib.sh", "make_wheel.py"}
# Their runtimes are in a template of their own, which is built once and kept with the others.
BEYOND_BASE = {"jvm/jvm.sh", "go/go.sh", "numpy_threads.py", "pytest_suite.py"}
ROOM = ["--memory", "2G", "--disk", "1G", "--cpus", "2", "--pids", "512", "--timeout", "5m"]


def build_template():
    """Into the shared state, where an unchanged recipe is found again at once."""
    started = time.monotonic()
    command = [cove.program("cove"), "--state", cove.SHARED_STATE, "template", "build", "compat", "--recipe", f"{FOLDER}/compat.recipe"]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"no template: {done.stderr[-2000:].decode()}")
    print(f"\n{done.stdout.decode().strip()} ({time.monotonic() - started:.0f} s)", file=sys.stderr)


def twins():
    return sorted(name for name in traces.files(FOLDER)
                  if os.path.splitext(name)[1] in LANGUAGES and name not in HELPERS and not name.startswith("runner"))


class Twins(cove.Test):
    """Every twin, as the ordinary user, without a network, under the policy that the attacks meet."""

    templates = ("base", "compat")

    @classmethod
    def setUpClass(cls):
        build_template()
        super().setUpClass()
        # The checkout may lie where others cannot look: a copy in an allowed root, which is mounted read-only.
        cls.root = tempfile.mkdtemp(prefix="cove-twins-")
        shutil.copytree(FOLDER, f"{cls.root}/compat", ignore=shutil.ignore_patterns("__pycache__"))
        for folder, _, names in os.walk(cls.root):
            os.chmod(folder, 0o755)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o755)
        cls.cove.config = f"{cls.root}/cove.conf"
        with open(cls.cove.config, "w", encoding="ascii") as file:
            file.write(f"workspace_roots = {cls.root}\n")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.root)

    def run_twin(self, name):
        template = "compat" if name in BEYOND_BASE else "base"
        command = [LANGUAGES[os.path.splitext(name)[1]], f"/workspace/{name}"]
        done = self.cove.run("--template", template, *ROOM, "--workspace", f"{self.root}/compat:ro", "--", *command, timeout=400)
        said = (done.stdout[-1500:] + done.stderr[-1500:]).decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, f"{name} in {template}:\n{said}")
        self.assertIn(b"ok ", done.stdout, f"{name} checked nothing:\n{said}")

    def test_the_readme_lists_them_all(self):
        with open(f"{FOLDER}/README.md", encoding="utf-8") as file:
            listed = set(re.findall(r"^\| `([\w/.]+)` \|", file.read(), re.MULTILINE))
        self.assertEqual(listed, set(twins()))

    def test_a_twin_that_fails_is_seen(self):
        path = f"{self.root}/compat/fails.py"
        with open(path, "w", encoding="ascii") as file:
            file.write("print('ok first')\nraise SystemExit(1)\n")
        os.chmod(path, 0o755)
        with self.assertRaises(AssertionError):
            self.run_twin("fails.py")
        os.unlink(path)


def add_test(name):
    setattr(Twins, "test_" + re.sub(r"\W", "_", name), lambda self: self.run_twin(name))


for twin in twins():
    add_test(twin)


if __name__ == "__main__":
    cove.main()
