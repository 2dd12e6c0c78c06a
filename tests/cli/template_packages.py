"""Recipes that begin with a template and bring locked Python packages: fetched outside by hash, installed inside."""

import base64
import hashlib
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import traces

MAKE_WHEEL = os.path.join(cove.TESTS, "compat", "make_wheel.py")


class Packages(cove.Test):
    """A folder with a recipe and its lock, and a wheelhouse that is all that pip knows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.wheelhouse = os.path.join(cls.folder.name, "wheels")
        os.mkdir(cls.wheelhouse)
        os.makedirs(os.path.join(cls.folder.name, "things", "inner"))
        with open(os.path.join(cls.folder.name, "things", "inner", "tool"), "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o700)) as file:
            file.write("#!/bin/sh\necho tool\n")
        cls.wheel = subprocess.run([sys.executable, MAKE_WHEEL, cls.wheelhouse], check=True, capture_output=True, text=True).stdout.strip()
        with open(cls.wheel, "rb") as file:
            cls.hash = hashlib.sha256(file.read()).hexdigest()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def environment(self, wheelhouse=None):
        settings = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        return settings | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheelhouse or self.wheelhouse, "PIP_CONFIG_FILE": os.devnull}

    def recipe(self, lock, extra=""):
        self.write("tiny.lock", lock)
        self.write("tiny.recipe", f"from = base\n[pip tiny.lock]\n{extra}")
        return os.path.join(self.folder.name, "tiny.recipe")

    def build(self, lock, *options, extra="", wheelhouse=None):
        path = self.recipe(lock, extra)
        return self.cove.call("template", "build", "tiny", "--recipe", path, *options, env=self.environment(wheelhouse), timeout=300)

    def good_lock(self):
        return f"cove-tiny==1.0 --hash=sha256:{self.hash}\n"

    def downloads(self):
        return traces.files(f"{self.cove.state}/downloads")

    def nothing_but_the_cache(self):
        self.assertEqual([name for name in traces.files(f"{self.cove.state}/builds") if not name.startswith(".")], [])
        self.assertEqual(self.cove.sandboxes(), [])
        self.assertNotIn(b"tiny", self.cove.call("template", "list").stdout)


class Built(Packages):
    """One template, and what a sandbox made from it sees."""

    tree = "[tree /opt/things things]\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.done = cls.build(cls(), cls.good_lock(cls()), extra=cls.tree)

    def inside(self, command, *options):
        return self.cove.run("--template", "tiny", *options, "--", "sh", "-ec", command)

    def test_progress_says_what_how_many_and_how_much(self):
        self.check_run(self.done, 0)
        said = self.done.stderr.decode()
        self.assertIn("copy template base (" + self.cove.digest()[:12], said)
        self.assertIn("fetch 1 Python 3.13 packages, 1 of them not in the download cache", said)
        self.assertIn("install 1 Python 3.13 packages, ", said)
        self.assertRegex(self.done.stdout.decode(), r"template tiny built: [0-9a-f]{12}, [0-9.]+ MiB\n")

    def test_packages_are_there_for_everybody_and_compiled(self):
        done = self.inside("python3 -c 'import cove_tiny; print(cove_tiny.answer(), cove_tiny.__file__, cove_tiny.__cached__)'; command -v cove-tiny")
        site = "/usr/local/lib/python3.13/dist-packages/cove_tiny"
        self.check_run(done, 0, f"42 {site}/__init__.py {site}/__pycache__/__init__.cpython-313.pyc\n/usr/local/bin/cove-tiny\n".encode())
        self.check_run(self.inside(f"test -f {site}/__pycache__/__init__.cpython-313.pyc; test ! -e /var/cache/cove; pip list | grep -c cove-tiny"), 0, b"1\n")

    def test_what_the_base_decides_stays(self):
        self.check_run(self.inside("id -un; echo $HOME $LANG"), 0, b"user\n/home/user C.UTF-8\n")

    def test_the_cache_has_it_under_its_hash(self):
        self.assertEqual(self.downloads(), [f"sha256-{self.hash}-cove_tiny-1.0-py3-none-any.whl"])

    def test_the_same_recipe_is_up_to_date(self):
        done = self.build(self.good_lock(), extra=self.tree)
        self.check_run(done, 0)
        self.assertIn(b"is up to date", done.stdout)

    def test_a_folder_is_there_and_root_s(self):
        self.check_run(self.inside("/opt/things/inner/tool; stat -c '%U %a' /opt/things /opt/things/inner/tool"), 0, b"tool\nroot 755\nroot 755\n")

    def test_a_user_s_pip_install_goes_home_and_wins_over_the_template_s(self):
        with open(self.wheel, "rb") as file:
            wheel = base64.b64encode(file.read()).decode()
        command = f"""cd /tmp; echo {wheel} | base64 -d >{os.path.basename(self.wheel)}; pip install -q --no-index --force-reinstall ./*.whl
            python3 -c 'import cove_tiny; print(cove_tiny.__file__)'; command -v cove-tiny"""
        self.check_run(self.inside(command), 0, b"/home/user/.local/lib/python3.13/site-packages/cove_tiny/__init__.py\n/home/user/.local/bin/cove-tiny\n")

    def test_a_user_s_npm_install_goes_home_and_is_on_the_path(self):
        command = """mkdir /tmp/t; cd /tmp/t; echo '{"name":"tiny-t","version":"1.0.0","bin":{"tiny-t":"i.js"}}' >package.json
            printf '#!/usr/bin/env node\\nconsole.log(42)\\n' >i.js; npm pack --silent >/dev/null; cd; npm install --offline --silent -g /tmp/t/tiny-t-1.0.0.tgz; command -v tiny-t; tiny-t"""
        self.check_run(self.inside(command), 0, b"/home/user/.local/bin/tiny-t\n42\n")


class Refused(Packages):
    """What cannot be fetched or trusted: a clear error, and nothing left but the cache."""

    def test_a_wheel_with_another_hash(self):
        done = self.build(f"cove-tiny==1.0 --hash=sha256:{'0' * 64}\n")
        self.check_run(done, 125, b"")
        self.assertIn(b"cove-tiny==1.0", done.stderr)
        self.nothing_but_the_cache()

    def test_a_package_that_nobody_has(self):
        done = self.build(f"cove-nowhere==1.0 --hash=sha256:{self.hash}\n")
        self.check_run(done, 125, b"")
        self.assertIn(b"cove-nowhere", done.stderr)
        self.nothing_but_the_cache()

    def test_locks_of_an_enemy(self):
        """None gets as far as pip; each is told apart by its line, in plain text."""
        for line in ("--index-url x://y", "-r /etc/passwd", "a @ x://y/z.whl", "./x.whl", "a==1", "a==1 --hash=md5:0", "a==1;b", "\x1b[2J==1", "a==1 --hash=sha256:" + "g" * 64):
            with self.subTest(line=line):
                done = self.build(self.good_lock() + line + "\n")
                self.check_refused(done, 2, "tiny.lock:2: ")
                self.assertNotIn(b"\x1b", done.stderr)
        self.nothing_but_the_cache()

    def test_files_that_are_not_there(self):
        path = self.recipe("")
        os.unlink(os.path.join(self.folder.name, "tiny.lock"))
        self.check_refused(self.cove.call("template", "build", "tiny", "--recipe", path), 125, "tiny.recipe:2: ", "tiny.lock")
        path = self.recipe(self.good_lock(), "[tree /opt/x no-such-folder]\n")
        self.check_refused(self.cove.call("template", "build", "tiny", "--recipe", path), 125, "tiny.recipe:3: no folder no-such-folder")
        self.write("orphan.recipe", "from = no-such-template\n")
        done = self.cove.call("template", "build", "tiny", "--recipe", os.path.join(self.folder.name, "orphan.recipe"))
        self.check_refused(done, 125, "no-such-template", "cove template build")
        self.nothing_but_the_cache()

    def test_an_interrupted_install_keeps_the_cache_and_the_next_build_uses_it(self):
        path = self.recipe(self.good_lock(), "[run]\necho waiting; sleep 600\n")
        child = self.cove.start("template", "build", "tiny", "--recipe", path, env=self.environment())
        cove.wait_until(lambda: any(one.endswith(" sleep") for one in self.cove.traces()["processes"]), "the run step", 120)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=cove.PATIENCE)
        self.assertNotEqual(child.returncode, 0)
        self.nothing_but_the_cache()
        self.assertEqual(len(self.downloads()), 1)
        with tempfile.TemporaryDirectory() as empty:
            done = self.build(self.good_lock(), wheelhouse=empty)
        self.check_run(done, 0)
        self.assertIn(b"0 of them not in the download cache", done.stderr)
        # A copy that was changed meanwhile is found out, thrown away and fetched again.
        cached = os.path.join(self.cove.state, "downloads", self.downloads()[0])
        with open(cached, "ab") as file:
            file.write(b"!")
        done = self.build(self.good_lock(), "--force")
        self.check_run(done, 0)
        with open(cached, "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).hexdigest(), self.hash)
        self.check_run(self.cove.call("template", "rm", "tiny"), 0)


del Packages

if __name__ == "__main__":
    cove.main()
