"""A sandbox's group on pure cgroup v2: what it holds, who may change it, and that it is killed and frozen as one."""

import errno
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))

import cove
import guest
import traces


class Sandboxed(cove.Test):
    """Each test has one sandbox, whose program has said that it is ready."""

    options = ("--memory", "96M", "--pids", "40", "--cpus", "0.5")
    program = "import sys\nprint('ready', flush=True)\nsys.stdin.read()\nprint('went on')"

    def setUp(self):
        self.client = self.cove.start("run", *self.options, "-c", self.program)
        self.assertEqual(self.client.stdout.readline(), b"ready\n")
        self.sandbox, = self.cove.sandboxes()
        self.group = guest.group_of(self.cove, self.sandbox)

    def tearDown(self):
        cove.end(self.client)
        self.cove.wait_for_sandboxes(0)

    def read(self, name):
        return traces.read(f"{self.group}/{name}").strip()

    def finish(self):
        out, err = self.client.communicate(timeout=cove.PATIENCE)
        return self.client.returncode, out, err


class Layout(Sandboxed):
    def test_limits_sit_on_the_group(self):
        self.assertEqual((self.read("memory.max"), self.read("memory.swap.max"), self.read("pids.max"), self.read("cpu.max")),
                         (str(96 << 20), "0", "40", "50000 100000"))

    def test_no_controller_goes_further_down(self):
        """A group that passes controllers on may hold no processes itself, and pid 1 sits here."""
        self.assertEqual(self.read("cgroup.subtree_control"), "")
        self.assertEqual(len(self.read("cgroup.procs").split()), 1)
        leaf, = guest.leaves(self.group)
        self.assertEqual(self.read(f"{leaf}/cgroup.controllers"), "")
        self.assertGreaterEqual(len(self.read(f"{leaf}/cgroup.procs").split()), 1)
        self.assertFalse(os.path.exists(f"{self.group}/{leaf}/memory.max"))

    def test_init_owns_the_directory_and_none_of_the_limits(self):
        owner = os.stat(self.group).st_uid
        self.assertGreaterEqual(owner, 1 << 20)
        owned = {name for name in os.listdir(self.group) if os.stat(f"{self.group}/{name}").st_uid == owner}
        self.assertEqual(owned, {"cgroup.procs", *guest.leaves(self.group)})

    def test_all_that_the_program_forks_is_in_its_leaf(self):
        leaf, = guest.leaves(self.group)
        for pid in self.read(f"{leaf}/cgroup.procs").split():
            self.assertEqual(traces.read(f"/proc/{pid}/cgroup"), f"0::/{self.cove.tag}/{self.sandbox}/{leaf}\n")


class HostileInit(Sandboxed):
    """With the id of a sandbox's pid 1 and directories at hand, as pid 1 has its own, and more of them."""

    def setUp(self):
        super().setUp()
        self.directories = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in (self.group, f"{guest.TOP}/{self.cove.tag}", guest.TOP)}

    def tearDown(self):
        for directory in self.directories.values():
            os.close(directory)
        super().tearDown()

    def attempt(self, action):
        return guest.as_user(os.stat(self.group).st_uid, action)

    def writing(self, path, name, text):
        return self.attempt(lambda: guest.write_at(self.directories[path], name, text))

    def making(self, name):
        return self.attempt(lambda: os.mkdir(name, dir_fd=self.directories[self.group]))

    def test_limits_cannot_be_raised(self):
        for name in ("memory.max", "memory.swap.max", "pids.max", "cpu.max", "cgroup.subtree_control", "cgroup.max.depth",
                     "cgroup.max.descendants", "cgroup.kill", "cgroup.freeze"):
            self.assertEqual(self.writing(self.group, name, "max"), errno.EACCES, name)

    def test_no_process_can_be_moved_out_or_in(self):
        for path in self.directories:
            self.assertEqual(self.writing(path, "cgroup.procs", "0"), errno.EACCES, path)

    def test_leaves_are_one_level_deep(self):
        self.assertEqual(self.making("p99"), 0)
        self.assertEqual(self.making("p99/deeper"), errno.EAGAIN)
        # And p99 does not keep the sandbox from going away: tearDown sees to it.


class Inside(Sandboxed):
    def test_no_control_group_file_system_is_in_sight(self):
        code = ("import os\nprint([line.split(' - ')[1].split()[0] for line in open('/proc/self/mountinfo') if ' - cgroup' in line],"
                " open('/proc/self/cgroup').read().strip(),"
                " [os.path.join(d, f) for top in ('/sys', '/proc/1', '/run') for d, _, fs in os.walk(top, onerror=lambda e: None)"
                " for f in fs if f in ('cgroup.procs', 'release_agent', 'memory.max') and os.access(os.path.join(d, f), os.W_OK)])")
        done = self.cove.run("-c", code)
        self.assertRegex(done.stdout.decode(), r"^\[\] 0::/\S* \[\]\n$")
        self.assertNotIn(self.cove.tag, done.stdout.decode())


class Kill(Sandboxed):
    program = ("import os, signal, sys, time\n"
               "for _ in range(8):\n"
               "  if os.fork() == 0:\n"
               "    os.setsid()\n"
               "    if os.fork(): os._exit(0)\n"
               "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
               "    time.sleep(600)\n"
               "for _ in range(8): os.wait()\n"
               "print('ready', flush=True)\nsys.stdin.read()")

    def test_one_write_ends_the_whole_tree(self):
        self.assertGreaterEqual(len(self.cove.traces()["processes"]), 10)
        guest.write(f"{self.group}/cgroup.kill", "1")
        self.assertNotEqual(self.finish()[0], 0)
        self.cove.wait_for_sandboxes(0)
        self.assertEqual(self.cove.traces()["processes"], set())

    def test_what_daemonised_ends_with_the_run(self):
        code, _, err = self.finish()  # closes its input
        self.assertEqual((code, err), (0, b""))
        self.cove.wait_for_sandboxes(0)
        self.assertEqual(self.cove.traces()["processes"], set())


class Freeze(Sandboxed):
    program = ("import os, select, sys\nprint('ready', flush=True)\n"
               "if os.fork() == 0:\n  os.setsid()\n  while True: pass\n"
               "while not select.select([0], [], [], 0)[0]: pass\nprint('went on')")

    def freeze(self, value):
        guest.write(f"{self.group}/cgroup.freeze", str(value))
        cove.wait_until(lambda: guest.values(f"{self.group}/cgroup.events")["frozen"] == value, f"frozen {value}")

    def test_a_frozen_sandbox_does_nothing_and_goes_on_when_thawed(self):
        self.assertFalse(guest.stands_still(self.group, 2))
        self.freeze(1)
        self.assertTrue(guest.stands_still(self.group, 2))
        self.assertIsNone(self.client.poll())
        self.freeze(0)
        self.assertFalse(guest.stands_still(self.group, 2))
        self.client.stdin.write(b"x")
        self.assertEqual(self.finish()[:2], (0, b"went on\n"))

    def test_a_frozen_sandbox_can_be_killed(self):
        self.freeze(1)
        guest.write(f"{self.group}/cgroup.kill", "1")
        self.assertNotEqual(self.finish()[0], 0)

    def test_a_frozen_sandbox_whose_client_is_gone_ends_when_thawed(self):
        self.freeze(1)
        cove.end(self.client)
        self.freeze(0)
        self.cove.wait_for_sandboxes(0)


class OutOfMemory(cove.Test):
    def test_the_run_ends_whole_and_says_why(self):
        code = ("import os, time\n"
                "for _ in range(3):\n  if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n"
                "if os.fork() == 0:\n  hoard = []\n  while True: hoard.append(bytearray(1 << 20))\n"
                "time.sleep(600)")
        done, _, told = self.cove.receipt("--memory", "64M", "-c", code)
        self.check_run(done, 137)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("out_of_memory", ["memory"]))
        self.assertLessEqual(told["receipt"]["peak_memory_bytes"], 64 << 20)
        self.cove.wait_for_sandboxes(0)
        self.assertEqual(self.cove.traces()["processes"], set())


if __name__ == "__main__":
    cove.main()
