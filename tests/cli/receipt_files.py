"""Receipts tell which files a run made, changed and removed in the home directory and the working directory."""

import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove

HOME = "/home/user/"
OWNER = 65534  # some id that is not root's: only such a one's directory may be written to


def at_home(*names):
    return [HOME + name for name in names]


class Files(cove.Test):
    def files(self, *arguments, cause="ok", **options):
        _, _, told = self.cove.receipt(*arguments, **options)
        self.assertEqual(told["cause"], cause)
        return told["receipt"]["files"]

    def after(self, script, **options):
        return self.files("--", "sh", "-c", script, **options)

    def check(self, files, created=(), changed=(), removed=()):
        self.assertEqual((files["created"], files["changed"], files["removed"]), (list(created), list(changed), list(removed)))
        self.assertEqual(files["counts"], {"created": len(created), "changed": len(changed), "removed": len(removed)})
        self.assertEqual((files["truncated"], files["unknown"]), (False, False))

    def test_created_changed_and_removed(self):
        self.check(self.after("echo a > a; mkdir -p d/e; echo b > d/e/b; echo '# more' >> .bashrc; rm .profile"),
                   at_home("a", "d", "d/e", "d/e/b"), at_home(".bashrc"), at_home(".profile"))

    def test_a_change_in_place_that_keeps_size_and_time(self):
        """Of the second only the inode tells, which is another one."""
        self.check(self.after("cp -p .bashrc /tmp/r; tr a-z b-za < /tmp/r 1<> .bashrc"), changed=at_home(".bashrc"))
        self.check(self.after("cp -p .bashrc new; mv new .bashrc"), changed=at_home(".bashrc"))

    def test_links_fifos_and_modes(self):
        self.check(self.after("ln -s /etc/passwd link; mkfifo fifo; touch one; ln one two; chmod 600 .bashrc"),
                   at_home("fifo", "link", "one", "two"), at_home(".bashrc"))

    def test_renamed_is_removed_and_created(self):
        self.check(self.after("mv .profile profile"), at_home("profile"), (), at_home(".profile"))

    def test_nothing_done_is_nothing_told(self):
        self.check(self.after("cat .bashrc > /dev/null; ls -R > /dev/null; echo x > /tmp/elsewhere; echo y > gone; rm gone"))

    def test_the_script_itself_is_not_the_runs_work(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script.py")
            with open(path, "w", encoding="ascii") as file:
                file.write("import sys\nif len(sys.argv) > 1: open('/home/user/script.py', 'r+').write('IMPORT')\nopen('out', 'w')\n")
            self.check(self.files(path), at_home("out"))
            self.check(self.files(path, "rewrite"), at_home("out"), at_home("script.py"))

    def test_odd_names(self):
        code = r"import os; [open(b'/home/user/' + n, 'w') for n in (b'n\nl', b'\x1b[31m', b'\xff', '\u00fc'.encode(), b'\"q\\', b' ')]"
        self.check(self.files("-c", code), at_home("\x1b[31m", " ", '"q\\', "n\nl", "ü", "\ufffd"))
        done = self.cove.run("--receipt", "-c", code)
        self.assertIn("files        6 created (?[31m,  , \"q\\, …)\n".encode(), done.stderr)

    def test_what_programs_leave_for_themselves_is_left_out(self):
        script = ("mkdir -p .cache/x .npm .config/matplotlib; touch .cache/x/y .npm/z .config/matplotlib/m .bash_history; echo x=1 > m.py; python3 -c 'import m';"
                  "touch .config/mine .env .cache.txt; [ -e __pycache__ ]")
        self.check(self.after(script), at_home(".cache.txt", ".config/mine", ".env", "m.py"))

    def test_thousands_are_counted_and_the_first_named(self):
        files = self.files("-c", "import os; os.mkdir('d'); [open(f'd/{i:04}', 'w').close() for i in range(5000)]")
        self.assertEqual(files["counts"], {"created": 5001, "changed": 0, "removed": 0})
        self.assertEqual(files["created"], at_home("d", *(f"d/{i:04}" for i in range(999))))
        self.assertEqual((files["truncated"], files["unknown"]), (True, False))

    def test_more_than_is_looked_at(self):
        files = self.files("-c", "import os; os.mkdir('d'); [os.symlink('x', f'd/{i:05}') for i in range(30000)]; open('last', 'w')")
        self.assertEqual((files["counts"]["removed"], files["truncated"], files["unknown"]), (0, True, False))
        self.assertLess(files["counts"]["created"], 20001)

    def test_a_deep_tree(self):
        files = self.files("-c", "import os\nfor i in range(3000):\n os.mkdir('d'); os.chdir('d')")
        self.assertEqual(files["counts"]["created"], 4096 // 2, "deeper ones have no path that a call could take")

    def test_a_home_that_may_not_be_read(self):
        """It is listed as its user: what that one may not read stays untold, and is not told as removed in other places."""
        files = self.after("mkdir closed; touch closed/in; chmod 0 closed")
        self.check(files, at_home("closed"))

    def test_runs_that_hit_a_limit(self):
        for cause, arguments in {
                "timeout": ["--timeout", "500ms", "--", "sh", "-c", "touch made; sleep 60"],
                "out_of_memory": ["--memory", "64M", "-c", "open('made', 'w'); b = bytearray(10**9)"],
                "crashed": ["--", "sh", "-c", "touch made; kill -SEGV $$"],
                "error": ["--", "sh", "-c", "touch made; exit 3"]}.items():
            self.check(self.files(*arguments, cause=cause), at_home("made"))

    def test_a_full_disk(self):
        fill = "f = open('filler', 'wb', buffering=0)\nwhile True: f.write(b'x' * 65536)"
        self.check(self.files("--disk", "20M", "-c", fill, cause="disk_full"), at_home("filler"))

    def test_nobody_is_in_the_sandbox_beside_the_run(self):
        """Its home was looked at from outside, where the template lies."""
        self.check(self.after("touch made; ! kill -9 -1 2>/dev/null"), at_home("made"))

    def test_without_a_receipt_nobody_looks(self):
        """Who looks is a process of the same user, which the program would see."""
        done = self.cove.run("-c", "import os; print(sum(name.isdigit() for name in os.listdir('/proc')))")
        self.check_run(done, 0, b"1\n", b"")

    def test_one_receipt_for_all_cells(self):
        done = self.cove.run("--json", "--context", "-c", "open('one', 'w').close()", "-c", "!echo x > two; rm .profile", "-c", "import os; os.remove('one')")
        self.check_run(done, 0)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        receipts = [event["receipt"]["files"] for event in told if "receipt" in event]
        self.assertEqual(len(receipts), 1)
        self.check(receipts[0], at_home("two"), (), at_home(".profile"))


class Workspace(cove.Test):
    config = "workspace_roots = /var/tmp\n"

    def setUp(self):
        self.mine = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.mine)
        for name in ("kept", "changed", "removed"):
            with open(os.path.join(self.mine, name), "w", encoding="ascii") as file:
                file.write(name)
            os.chown(file.name, OWNER, OWNER)
        os.chown(self.mine, OWNER, OWNER)

    def test_a_writable_one_is_looked_at_beside_home(self):
        _, _, told = self.cove.receipt("--workspace", self.mine, "--", "sh", "-c", "echo 1234567 > changed; rm removed; mkdir .cache; touch .cache/mine ~/made")
        files = told["receipt"]["files"]
        self.assertEqual(files["created"], [HOME + "made", "/workspace/.cache", "/workspace/.cache/mine"])
        self.assertEqual((files["changed"], files["removed"]), (["/workspace/changed"], ["/workspace/removed"]))

    def test_a_run_that_kills_everything_it_can(self):
        """The process that lists is of the same user: it may be killed, and another one takes its place."""
        _, _, told = self.cove.receipt("--workspace", self.mine, "--", "sh", "-c", "touch made; kill -9 -1")
        self.assertEqual((told["cause"], told["receipt"]["files"]["created"]), ("ok", ["/workspace/made"]))

    def test_in_words_they_are_named_from_there(self):
        done = self.cove.run("--receipt", "--workspace", self.mine, "--", "sh", "-c", "touch made ~/other")
        self.assertIn(b"files        2 created (/home/user/other, made)\n", done.stderr)


if __name__ == "__main__":
    cove.main()
