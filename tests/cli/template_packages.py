"""Recipes that begin with a template and bring locked packages of Python and npm: fetched outside by hash, installed inside.

A build on top of base copies it, which takes long: one is enough for all that can be seen in a finished template, and what is to be
refused is refused before the copy.
"""

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import npm_registry
import traces

MAKE_WHEEL = os.path.join(cove.TESTS, "compat", "make_wheel.py")
NPM = "cove-little"


class Packages(cove.Test):
    """A folder with a recipe and its locks; a wheelhouse is all that pip knows, and a registry on loopback all that npm does."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.wheelhouse = os.path.join(cls.folder.name, "wheels")
        os.mkdir(cls.wheelhouse)
        os.makedirs(os.path.join(cls.folder.name, "things", "inner"))
        with open(os.path.join(cls.folder.name, "things", "inner", "tool"), "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o700)) as file:
            file.write("#!/bin/sh\necho tool\n")
        cls.wheel, cls.hash = cls.make_wheel("cove_tiny", "1.0")
        cls.registry = npm_registry.Registry(NPM, npm_registry.package(NPM, {"postinstall": "touch /etc/script-ran"}))

    @classmethod
    def tearDownClass(cls):
        cls.registry.close()
        cls.folder.cleanup()
        super().tearDownClass()

    @classmethod
    def make_wheel(cls, name, version):
        """Its path and its hash."""
        done = subprocess.run([sys.executable, MAKE_WHEEL, cls.wheelhouse, name, version], check=True, capture_output=True, text=True)
        with open(done.stdout.strip(), "rb") as file:
            return done.stdout.strip(), hashlib.sha256(file.read()).hexdigest()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    @classmethod
    def environment(cls, wheelhouse=None):
        settings = {name: value for name, value in os.environ.items() if not name.lower().startswith(("pip_", "npm_config_"))}
        return settings | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheelhouse or cls.wheelhouse, "PIP_CONFIG_FILE": os.devnull,
                           "npm_config_registry": cls.registry.address, "HOME": cls.folder.name}

    @classmethod
    def good_lock(cls):
        return f"cove-tiny==1.0 --hash=sha256:{cls.hash}\n"

    @classmethod
    def npm_lock(cls, **changes):
        entry = {"version": "1.0.0", "integrity": npm_registry.integrity(cls.registry.content), "bin": {NPM: "index.js"}} | changes
        return json.dumps({"lockfileVersion": 3, "packages": {"": {"dependencies": {NPM: "^1"}}, f"node_modules/{NPM}": entry}}, indent=1)

    @classmethod
    def build(cls, recipe, *options, wheelhouse=None):
        path = cls.write("tiny.recipe", recipe)
        return cls.cove.call("template", "build", "tiny", "--recipe", path, *options, env=cls.environment(wheelhouse), timeout=300)

    def downloads(self):
        return traces.files(f"{self.cove.state}/downloads")

    def nothing_but_the_cache(self):
        self.assertEqual([name for name in traces.files(f"{self.cove.state}/builds") if not name.startswith(".")], [])
        self.assertEqual(self.cove.sandboxes(), [])
        self.assertNotIn(b"tiny", self.cove.call("template", "list").stdout)


class Built(Packages):
    """One template, whose first build was interrupted, and what a sandbox made from it sees."""

    recipe = "from = base\n[pip tiny.lock]\n[npm tools.lock]\n[tree /opt/things things]\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # base has another version of this one.
        _, newer = cls.make_wheel("ptyprocess", "99.0")
        cls.write("tiny.lock", f"{cls.good_lock()}ptyprocess==99.0 --hash=sha256:{newer}\n")
        cls.write("tools.lock", cls.npm_lock(resolved="x://nowhere/evil.tgz"))
        cls.interrupt_during_the_copy(cls())
        cls.asked = list(cls.registry.asked)
        with tempfile.TemporaryDirectory() as empty:
            cls.done = cls.build(cls.recipe, wheelhouse=empty)

    def interrupt_during_the_copy(self):
        path = self.write("tiny.recipe", self.recipe)
        child = self.cove.start("template", "build", "tiny", "--recipe", path, env=self.environment())
        first = ""
        while "copy template" not in first:
            line = child.stderr.readline().decode()
            self.assertNotEqual(line, "", f"it ended before the copy: {first}")
            first += line
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=cove.PATIENCE)
        self.assertNotEqual(child.returncode, 0)
        self.assertIn("fetch 2 Python 3.13 packages, 2 of them not in the download cache", first)
        self.assertIn("fetch 1 npm packages, 1 of them not in the download cache", first)
        self.assertEqual(len(self.downloads()), 3)
        self.nothing_but_the_cache()

    def inside(self, command, *options):
        return self.cove.run("--template", "tiny", *options, "--", "sh", "-ec", command)

    def test_progress_says_what_how_many_and_how_much(self):
        self.check_run(self.done, 0)
        said = self.done.stderr.decode()
        self.assertIn("copy template base (" + self.cove.digest()[:12], said)
        self.assertIn("install 2 Python 3.13 packages, ", said)
        self.assertIn("install 1 npm packages, ", said)
        self.assertRegex(self.done.stdout.decode(), r"template tiny built: [0-9a-f]{12}, [0-9.]+ MiB\n")

    def test_what_an_interrupted_build_fetched_is_not_fetched_again(self):
        self.assertIn(b"fetch 2 Python 3.13 packages, 0 of them not in the download cache", self.done.stderr)
        self.assertIn(b"fetch 1 npm packages, 0 of them not in the download cache", self.done.stderr)
        self.assertNotEqual(self.asked, [])
        self.assertEqual(self.registry.asked, self.asked)

    def test_packages_are_there_for_everybody_and_compiled(self):
        done = self.inside("python3 -c 'import cove_tiny; print(cove_tiny.answer(), cove_tiny.__file__, cove_tiny.__cached__)'; command -v cove-tiny")
        site = "/usr/local/lib/python3.13/dist-packages/cove_tiny"
        self.check_run(done, 0, f"42 {site}/__init__.py {site}/__pycache__/__init__.cpython-313.pyc\n/usr/local/bin/cove-tiny\n".encode())
        self.check_run(self.inside(f"test -f {site}/__pycache__/__init__.cpython-313.pyc; test ! -e /var/cache/cove; pip list | grep -c cove-tiny"), 0, b"1\n")

    def test_another_version_takes_the_place_of_the_parent_s(self):
        site = "/usr/local/lib/python3.13/dist-packages"
        self.check_run(self.inside(f"cd {site}; ls -d ptyprocess*; ls -A ptyprocess"), 0, b"ptyprocess\nptyprocess-99.0.dist-info\n__init__.py\n__pycache__\n")
        self.check_run(self.inside(f"ls {site}/ptyprocess/__pycache__"), 0, b"__init__.cpython-313.pyc\n")
        self.check_run(self.cove.run("--", "ls", f"{site}/ptyprocess/util.py"), 0)

    def test_npm_packages_are_there_for_everybody_and_ran_no_script(self):
        home = f"/usr/local/lib/npm/tools/node_modules/{NPM}"
        done = self.inside(f"{NPM}; command -v {NPM}; node -p 'require(\"{home}\")()'; test ! -e /etc/script-ran; ls -A /usr/local/lib/npm/tools")
        self.check_run(done, 0, f"42\n/usr/local/bin/{NPM}\n42\nnode_modules\n".encode())

    def test_what_the_base_decides_stays(self):
        self.check_run(self.inside("id -un; echo $HOME $LANG"), 0, b"user\n/home/user C.UTF-8\n")

    def test_the_cache_has_it_under_its_hash(self):
        self.assertIn(f"sha256-{self.hash}-cove_tiny-1.0-py3-none-any.whl", self.downloads())

    def test_the_same_recipe_is_up_to_date(self):
        done = self.build(self.recipe)
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

    def test_a_layer_that_runs_nothing_is_linked(self):
        path = self.write("thin.recipe", "from = tiny\n[file /etc/thin 0644]\n| yes\n")
        done = self.cove.call("template", "build", "thin", "--recipe", path)
        self.check_run(done, 0)
        self.assertIn(b"link template tiny", done.stderr)
        self.check_run(self.cove.run("--template", "thin", "--", "sh", "-c", "cat /etc/thin; cove-tiny; echo $?"), 0, b"yes\n42\n")
        self.check_run(self.inside("test ! -e /etc/thin"), 0)
        self.check_run(self.cove.call("template", "rm", "thin"), 0)


class Refused(Packages):
    """What cannot be fetched or trusted: a clear error, and nothing left but the cache."""

    def refused(self, pip=None, npm=None):
        """A build with one of the two locks."""
        self.write("tiny.lock", pip or "")
        self.write("tools.lock", npm or "")
        return self.build("from = base\n" + ("[pip tiny.lock]\n" if pip else "[npm tools.lock]\n"))

    def tearDown(self):
        self.nothing_but_the_cache()

    def test_a_wheel_with_another_hash(self):
        done = self.refused(pip=f"cove-tiny==1.0 --hash=sha256:{'0' * 64}\n")
        self.check_run(done, 125, b"")
        self.assertIn(b"cove-tiny==1.0", done.stderr)

    def test_an_npm_package_with_another_hash(self):
        done = self.refused(npm=self.npm_lock(integrity=npm_registry.integrity(b"something else")))
        self.check_run(done, 125, b"")
        self.assertIn(f"{NPM} 1.0.0: what was fetched has another hash".encode(), done.stderr)

    def test_a_package_that_nobody_has(self):
        done = self.refused(pip=f"cove-nowhere==1.0 --hash=sha256:{self.hash}\n")
        self.check_run(done, 125, b"")
        self.assertIn(b"cove-nowhere", done.stderr)

    def test_locks_of_an_enemy(self):
        """None gets as far as pip; each is told apart by its line, in plain text."""
        for line in ("--index-url x://y", "-r /etc/passwd", "a @ x://y/z.whl", "./x.whl", "a==1", "a==1 --hash=md5:0", "a==1;b", "\x1b[2J==1", "a==1 --hash=sha256:" + "g" * 64):
            with self.subTest(line=line):
                done = self.refused(pip=self.good_lock() + line + "\n")
                self.check_refused(done, 2, "tiny.lock:2: ")
                self.assertNotIn(b"\x1b", done.stderr)

    def test_npm_locks_of_an_enemy(self):
        for changes in ({"version": "x://y/z.tgz"}, {"version": "--evil.x"}, {"integrity": "sha1-AAAA"}, {"link": True}, {"name": "other"}):
            with self.subTest(changes=changes):
                self.check_refused(self.refused(npm=self.npm_lock(**changes)), 2, "tools.lock:9: ")
        self.check_refused(self.refused(npm=self.npm_lock().replace(f"node_modules/{NPM}", "node_modules/../../x")), 2, "tools.lock:9: ")
        self.check_refused(self.refused(npm="{\n  oops"), 2, "tools.lock:2: ")

    def test_files_that_are_not_there(self):
        self.check_refused(self.build("from = base\n[pip no-such.lock]\n"), 125, "tiny.recipe:2: ", "no-such.lock")
        self.check_refused(self.build("from = base\n\n[tree /opt/x no-such-folder]\n"), 125, "tiny.recipe:3: no folder no-such-folder")
        self.check_refused(self.build("from = no-such-template\n"), 125, "no-such-template", "cove template build")

    def test_a_name_that_nobody_has_is_told_with_what_there_is(self):
        self.check_refused(self.cove.run("--template", "python 3.9", "-c", "1"), 125, "no template python-3.9; there are: base;", "node-22", "python-3.11")
        self.check_refused(self.cove.run("--template", "node 22", "-c", "1"), 125, "no template node-22", "build it with: cove template build node-22")
        self.check_refused(self.cove.call("template", "build", "Python 3.9"), 125, "no recipe is called 'python-3.9', there are: base, node-18", "--recipe FILE")
        self.check_run(self.cove.run("--template", "Node 20", "--", "node", "-p", "process.versions.node.split('.')[0]"), 0, b"20\n")


del Packages

if __name__ == "__main__":
    cove.main()
