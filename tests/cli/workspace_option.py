"""--workspace: what a sandbox sees and may do there, and which directories it never gets."""

import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import spawner_wire


class Workspaces(cove.Test):
    """An allowed root with an owner's directory, a root-owned one, and ways out of it."""

    OWNER = 4321

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.mkdtemp(prefix="cove-workspaces-")
        os.chmod(cls.folder, 0o755)
        cls.allowed, cls.outside = f"{cls.folder}/allowed", f"{cls.folder}/outside"
        for path, owner in ((cls.allowed, 0), (cls.outside, cls.OWNER), (f"{cls.allowed}/mine", cls.OWNER), (f"{cls.allowed}/roots", 0)):
            os.mkdir(path)
            os.chown(path, owner, owner)
        cls.mine = f"{cls.allowed}/mine"
        with open(f"{cls.mine}/data.txt", "w", encoding="ascii") as file:
            file.write("from the host\n")
        os.chown(f"{cls.mine}/data.txt", cls.OWNER, cls.OWNER)
        cls.cove.config = f"{cls.folder}/cove.conf"
        with open(cls.cove.config, "w", encoding="ascii") as file:
            file.write(f"workspace_roots = {cls.allowed}/\n")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder)

    def in_workspace(self, workspace, *command):
        return self.cove.run("--workspace", workspace, "--", *command)


class WorkspaceOption(Workspaces):
    def test_is_the_working_directory_and_readable(self):
        for form in (self.mine, self.mine + ":ro", self.mine + ":rw", self.mine + "/", self.mine + "/."):
            self.check_run(self.in_workspace(form, "sh", "-c", "pwd; cat data.txt"), 0, b"/workspace\nfrom the host\n", b"")

    def test_receipt_names_the_filter_that_a_writable_one_brings(self):
        told = {access: self.cove.receipt(*options, "-c", "0")[2]["receipt"]["seccomp"]
                for access, options in (("none", []), ("ro", ["--workspace", self.mine + ":ro"]), ("rw", ["--workspace", self.mine]))}
        self.assertEqual(told["none"], told["ro"])
        self.assertNotEqual(told["none"], told["rw"])
        for one in told.values():
            self.assertRegex(one, "^[0-9a-f]{16}$")

    def test_read_only_is(self):
        done = self.in_workspace(self.mine + ":ro", "sh", "-c", "touch new || rm data.txt || echo x >> data.txt || chmod 777 . || mkdir d")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"Read-only file system"), 5, done.stderr)
        self.assertEqual(os.listdir(self.mine), ["data.txt"])

    def test_what_is_written_belongs_to_the_owner(self):
        done = self.in_workspace(self.mine, "sh", "-c", "echo made > made; mkdir d; ln -s /etc/passwd l; ls -ln --time-style=+ | awk '{print $3}' | sort -u")
        self.check_run(done, 0, stderr=b"")
        self.assertIn(b"1000", done.stdout)
        for name in ("made", "d", "l"):
            found = os.lstat(f"{self.mine}/{name}")
            self.assertEqual((found.st_uid, found.st_gid), (self.OWNER, self.OWNER), name)
        with open(f"{self.mine}/made", encoding="ascii") as file:
            self.assertEqual(file.read(), "made\n")
        for name in ("made", "l"):
            os.unlink(f"{self.mine}/{name}")
        os.rmdir(f"{self.mine}/d")

    def test_others_files_appear_as_nobodys_and_stay_theirs(self):
        path = f"{self.mine}/foreign"
        with open(path, "w", encoding="ascii") as file:
            file.write("roots\n")
        os.chmod(path, 0o600)
        done = self.in_workspace(self.mine, "sh", "-c", "stat -c %u foreign; cat foreign; echo x > foreign; chown 1000 foreign; chmod 666 foreign")
        self.assertEqual(done.stdout, b"65534\n")
        self.assertEqual(len(done.stderr.splitlines()), 4, done.stderr)  # each of the four was refused
        found = os.stat(path)
        self.assertEqual((found.st_uid, found.st_mode & 0o777, found.st_size), (0, 0o600, 6))
        os.unlink(path)

    def test_no_set_id_file_can_be_made(self):
        code = ("import os\nopen('tool', 'w').close()\n"
                "ways = {'chmod': lambda: os.chmod('tool', 0o4755), 'setgid': lambda: os.chmod('tool', 0o2755), 'fchmod': lambda: os.fchmod(os.open('tool', os.O_RDONLY), 0o6755),\n"
                " 'create': lambda: os.close(os.open('born', os.O_CREAT | os.O_WRONLY, 0o4755)), 'directory': lambda: os.mkdir('d', 0o2755),\n"
                " 'mknod': lambda: os.mknod('node', 0o104755)}\n"
                "for name, way in ways.items():\n"
                " try: way()\n"
                " except OSError as e: print(name, e.strerror)\n")
        done = self.cove.run("--workspace", self.mine, "-c", code)
        self.check_run(done, 0, stderr=b"")
        for name in set(os.listdir(self.mine)) - {"data.txt"}:
            path = f"{self.mine}/{name}"
            mode = os.lstat(path).st_mode
            self.assertEqual(mode & 0o6000 if not os.path.isdir(path) else mode & 0o4000, 0, f"{name}: {mode:o}; {done.stdout!r}")
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
        for name in (b"chmod", b"setgid", b"fchmod"):
            self.assertIn(name + b" Operation not permitted", done.stdout)

    def test_devices_and_set_id_programs_do_not_work_there(self):
        done = self.in_workspace(self.mine, "sh", "-c", "grep ' /workspace ' /proc/self/mountinfo; mknod n c 1 3")
        options = done.stdout.split()[5].split(b",")
        self.assertIn(b"nosuid", options)
        self.assertIn(b"nodev", options)
        self.assertIn(b"Operation not permitted", done.stderr)

    def test_the_hosts_path_does_not_show(self):
        done = self.in_workspace(self.mine, "cat", "/proc/self/mountinfo")
        self.check_run(done, 0)
        for line in done.stdout.decode().splitlines():
            if " /workspace " in line:
                self.assertNotIn("cove-state", line)

    def test_parallel_sandboxes_share_it(self):
        first = self.cove.start("run", "--workspace", self.mine, "--", "sh", "-c", "until [ -e ping ]; do sleep 0.05; done; echo pong > pong")
        self.check_run(self.in_workspace(self.mine, "sh", "-c", "echo ping > ping; until [ -e pong ]; do sleep 0.05; done; cat pong; rm ping pong"), 0, b"pong\n")
        self.assertEqual(first.wait(cove.PATIENCE), 0)


class WorkspaceRefusals(Workspaces):
    def refused(self, workspace, code, *words):
        self.check_refused(self.in_workspace(workspace, "ls", "-la"), code, *words)

    def test_outside_the_allowed_roots(self):
        for path in (self.outside, "/", "/etc", self.folder, self.allowed + "2/..", f"{self.allowed}/../outside"):
            if path.startswith(self.allowed + "2"):
                os.makedirs(self.allowed + "2", exist_ok=True)
            with self.subTest(path=path):
                self.refused(path + ":ro", 125, "below no allowed root", "workspace_roots")

    def test_a_name_that_only_begins_like_a_root(self):
        os.makedirs(self.allowed + "-not", exist_ok=True)
        self.refused(self.allowed + "-not:ro", 125, "below no allowed root")

    def test_roots_own_directory_is_not_writable(self):
        self.refused(f"{self.allowed}/roots", 125, "belongs to root", ":ro")
        self.refused(f"{self.allowed}/roots:rw", 125, "belongs to root")
        self.check_run(self.in_workspace(f"{self.allowed}/roots:ro", "pwd"), 0, b"/workspace\n")

    def test_links_out_of_the_root(self):
        links = {"link": self.outside, "dotted": "../outside", "proc": "/proc/self/root/etc", "up": ".."}
        for name, target in links.items():
            os.symlink(target, f"{self.allowed}/{name}")
            with self.subTest(link=name):
                self.refused(f"{self.allowed}/{name}:ro", 125, "below no allowed root")
        self.refused(f"{self.allowed}/link/.:ro", 125, "below no allowed root")

    def test_a_link_put_there_after_the_check_is_not_followed(self):
        # The CLI resolves links; the spawner must not rely on that.
        os.symlink(self.outside, f"{self.allowed}/late")
        os.mkdir(f"{self.outside}/below")
        os.symlink(self.outside, f"{self.mine}/inner")
        for path in (f"{self.allowed}/late", f"{self.mine}/inner/below", f"{self.allowed}/../outside", f"{self.allowed}/mine/../../outside",
                     f"{self.allowed}//../outside", "relative", "", f"{self.allowed}/mine/data.txt", "/proc/self/cwd"):
            with self.subTest(path=path):
                reply = spawner_wire.create(self.cove, workspace=path, access=spawner_wire.READ_ONLY)
                self.assertFalse(reply.ok, path)
                self.assertTrue(reply.message)
        made = spawner_wire.create(self.cove, workspace=self.mine, access=spawner_wire.READ_ONLY)
        self.assertTrue(made.ok, made.message)
        with self.cove.connect() as client:
            self.assertTrue(spawner_wire.ask(client, spawner_wire.destroy(made.sandbox)).ok)
        os.unlink(f"{self.mine}/inner")

    def test_what_is_no_directory(self):
        self.refused(f"{self.mine}/data.txt", 125, "data.txt")
        self.refused(f"{self.mine}/nowhere", 125, "nowhere", "No such file")
        os.mkfifo(f"{self.mine}/fifo")
        self.refused(f"{self.mine}/fifo", 125)
        os.unlink(f"{self.mine}/fifo")

    def test_a_path_that_is_too_long(self):
        self.assertNotEqual(self.in_workspace("/" + "x/" * 3000, "true").returncode, 0)

    def test_root_mode_and_a_writable_one_do_not_go_together(self):
        done = self.cove.run("--root", "--workspace", self.mine, "--", "true")
        self.check_refused(done, 2, "root mode", "read-only")
        self.check_run(self.cove.run("--root", "--workspace", self.mine + ":ro", "--", "cat", "data.txt"), 0, b"from the host\n")

    def test_none_is_allowed_without_configuration(self):
        bare = cove.Instance()
        try:
            self.check_refused(bare.run("--workspace", self.mine + ":ro", "--", "true"), 125, "below no allowed root", "cove.conf")
        finally:
            self.assertEqual(bare.close(), [])


if __name__ == "__main__":
    cove.main()
