"""cove template list, show, rm and build: what they print, refuse and leave."""

import hashlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import traces


class TemplateCommands(cove.Test):
    def tiny(self, name):
        """A template of its own, just large enough to sleep in."""
        digest = hashlib.sha256(name.encode()).hexdigest()
        home = f"{self.cove.state}/templates/{digest}"
        base = f"{self.cove.state}/templates/{self.cove.digest()}"
        os.makedirs(f"{home}/root/usr/bin")
        for link in ("bin", "lib", "lib64"):
            os.symlink(f"usr/{link}", f"{home}/root/{link}")
        for path in ("usr/bin/sleep", "usr/lib64/ld-linux-x86-64.so.2", "usr/lib/x86_64-linux-gnu/libc.so.6"):
            os.makedirs(os.path.dirname(f"{home}/root/{path}"), exist_ok=True)
            shutil.copy(f"{base}/root/{path}", f"{home}/root/{path}")
        os.makedirs(f"{home}/root/home/user")
        with open(f"{base}/meta", encoding="utf-8") as file:
            meta = file.read().replace(self.cove.digest(), digest).replace("name = base", f"name = {name}")
        for path, text in ((f"{home}/meta", meta), (f"{self.cove.state}/templates/names/{name}", digest + "\n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return digest

    def test_list(self):
        done = self.cove.call("template", "list")
        self.check_run(done, 0, stderr=b"")
        self.assertIn(b"base", done.stdout)
        self.assertIn(self.cove.digest()[:12].encode(), done.stdout)
        done = self.cove.call("template", "list", "--json")
        base = [one for one in json.loads(done.stdout) if "base" in one["names"]]
        self.assertEqual([one["digest"] for one in base], [self.cove.digest()])

    def test_show(self):
        digest = self.cove.digest()
        for reference in ("base", digest, digest[:12], digest[:4]):
            done = self.cove.call("template", "show", reference)
            self.check_run(done, 0, stderr=b"")
            for word in (digest, "trixie", "user", "/home/user", "LANG=C.UTF-8"):
                self.assertIn(word.encode(), done.stdout + b"/home/user")
        told = json.loads(self.cove.call("template", "show", "base", "--json").stdout)
        self.assertEqual((told["digest"], told["names"], told["user"]), (digest, ["base"], "user"))

    def test_a_run_by_digest(self):
        self.check_run(self.cove.run("--template", self.cove.digest()[:12], "-c", "print(1)"), 0, b"1\n")

    def test_unknown_names(self):
        for command in ("show", "rm"):
            for name in ("nowhere", "../base", "", "ffff", "3", "a/b", "x" * 300):
                done = self.cove.call("template", command, name)
                self.assertNotEqual(done.returncode, 0, name)
                self.assertIn(b"no template", done.stderr)
        self.assertEqual(len(json.loads(self.cove.call("template", "list", "--json").stdout)), 1)

    def test_one_in_use_is_not_removed(self):
        digest = self.tiny("tiny")
        child = self.cove.start("run", "--template", "tiny", "--", "sleep", "600")
        self.cove.wait_for_sandboxes(1)
        cove.wait_until(lambda: any(one.endswith(" sleep") for one in self.cove.traces()["processes"]), "the program")
        self.check_refused(self.cove.call("template", "rm", "tiny"), 125, "in use by 1 sandbox", digest[:12])
        self.assertTrue(os.path.isdir(f"{self.cove.state}/templates/{digest}/root"))
        # Not after a change of spawners either.
        self.check_run(self.cove.call("spawner", "stop"), 0)
        self.check_refused(self.cove.call("template", "rm", "tiny"), 125, "in use by 1 sandbox")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(cove.PATIENCE), 130)
        self.check_run(self.cove.call("template", "rm", "tiny"), 0, f"removed template {digest[:12]}\n".encode(), b"")
        self.assertFalse(os.path.exists(f"{self.cove.state}/templates/{digest}"))
        self.assertFalse(os.path.exists(f"{self.cove.state}/templates/names/tiny"))
        self.assertEqual([name for name in os.listdir(f"{self.cove.state}/builds") if not name.startswith(".")], [])
        self.check_refused(self.cove.run("--template", "tiny", "--", "sleep", "0"), 125, "no template")

    def test_removed_by_its_digest(self):
        digest = self.tiny("other")
        self.check_run(self.cove.call("template", "rm", digest[:10]), 0, stderr=b"")
        self.assertNotIn(digest.encode(), self.cove.call("template", "list", "--json").stdout)


class TemplateBuild(cove.Test):
    """Recipes that cannot work: a clear error, and nothing left."""

    templates = ()

    def build(self, text, *options, name="bad"):
        with tempfile.NamedTemporaryFile("w", suffix=".recipe") as recipe:
            recipe.write(text)
            recipe.flush()
            return recipe.name, self.cove.call("template", "build", name, "--recipe", recipe.name, *options)

    def nothing_left(self):
        self.assertEqual(traces.files(f"{self.cove.state}/templates"), ["names"])
        self.assertEqual([name for name in traces.files(f"{self.cove.state}/builds") if not name.startswith(".")], [])
        self.assertEqual(self.cove.sandboxes(), [])
        self.assertEqual([mount for mount in traces.mounts(1) if self.cove.state in mount], [])

    def test_a_recipe_that_is_none(self):
        cases = {"nonsense\n": (1, "expected"), "suite = trixie\n[packages]\nbash\n../evil\n": (4, "../evil"), "suite = trixie\n[nowhere]\n": (2, "nowhere"),
                 "suite = Not A Suite\n": (1, "suite"), "[packages]\nbash\n": (2, "suite"), "suite = trixie\n[user]\nname = root\n": (3, "root"),
                 "suite = trixie\n[file relative 0644]\n": (2, "relative")}
        for text, (line, word) in cases.items():
            with self.subTest(recipe=text):
                path, done = self.build(text)
                self.check_run(done, 2, b"")
                self.assertIn(f"{path}:{line}", done.stderr.decode())
                if word != "expected":
                    self.assertIn(word, done.stderr.decode())
        self.nothing_left()

    def test_recipes_of_an_enemy(self):
        """None gets as far as apt, a shell or a path; each is told apart by its line, in plain text."""
        start = b"suite = trixie\n"
        packages = (b"git;reboot", b"$(reboot)", b"`reboot`", b"git|sh", b"git&", b"git>x", b"-o=Dir::Bin=/x", b"--help", b"./x.deb", b"/x.deb", b"git=1;x", b"*", b"git-", b"\xff\xfe")
        places = (b"[file /etc/../../x 0644]", b"[file ../x 0644]", b"[file /proc/x 0644]", b"[directory /home/user/../../x 0755]", b"[file /x 4755]", b"[file /" + b"n" * 300 + b" 0644]",
                  b"[file " + b"/d" * 80 + b" 0644]", b"[user]\nhome = /home/../etc", b"[user]\nhome = /home/a:/bin/sh", b"[user]\nuid = 99999999999999999999", b"[exclude]\n/etc/..")
        texts = [start + b"[packages]\n" + one + b"\n" for one in packages] + [start + one + b"\n" for one in places]
        texts += [bytes(range(256)) * 8, b"\x7fELF\x02\x01", start + b"[run]\necho \x00\n", b"suite = \x1b[2J\n", b"suite = \xc2\x9b2J\n", start + b"\xff = x\n",
                  start + b"[environment]\nA = \xff\n", start + b"#" * (300 << 10), start + b"#" * (3 << 20), b"\n" * (256 << 10), b"[" * 1000, b""]
        with tempfile.NamedTemporaryFile("wb", suffix=".recipe") as recipe:
            for text in texts:
                with self.subTest(recipe=text[:60]):
                    recipe.seek(0)
                    recipe.truncate()
                    recipe.write(text)
                    recipe.flush()
                    done = self.cove.call("template", "build", "bad", "--recipe", recipe.name)
                    said = done.stderr.decode()
                    self.assertIn(done.returncode, (2, 125), said)
                    self.assertEqual(done.stdout, b"")
                    self.assertIn(recipe.name, said)
                    self.assertFalse(re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", said), said)
                    self.assertLess(len(said), 1000)
        self.nothing_left()

    def test_a_package_that_does_not_exist(self):
        _, done = self.build("suite = trixie\n[packages]\nno-such-package-anywhere\n")
        self.check_run(done, 125, b"")
        self.assertIn(b"no-such-package-anywhere", done.stderr)
        self.nothing_left()

    def test_an_interrupted_build(self):
        with tempfile.NamedTemporaryFile("w", suffix=".recipe") as recipe:
            recipe.write("suite = trixie\n[packages]\nbash\n")
            recipe.flush()
            child = self.cove.start("template", "build", "cut", "--recipe", recipe.name)
            cove.wait_until(lambda: any("/root/" in name for name in traces.files(f"{self.cove.state}/builds")), "files of the build", 120)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=cove.PATIENCE)
        self.assertNotEqual(child.returncode, 0)
        self.nothing_left()

    def test_names_that_are_none(self):
        for name in ("../x", "", "a/b", ".hidden", "x" * 300, "UPPER case"):
            _, done = self.build("suite = trixie\n", name=name)
            self.assertIn(done.returncode, (2, 125), name)
        self.nothing_left()

    def test_without_a_recipe_of_that_name(self):
        self.check_refused(self.cove.call("template", "build", "nothing-here"), 125, "no recipe", "--recipe")

    def test_a_missing_recipe_file(self):
        self.check_refused(self.cove.call("template", "build", "x", "--recipe", "/no/such.recipe"), 125, "/no/such.recipe")


if __name__ == "__main__":
    cove.main()
