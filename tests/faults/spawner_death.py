"""kill -9 of the spawner while runs are under way; and that there is one per state directory."""

import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


PROGRAM = "import sys\nprint('ready')\nfor line in sys.stdin: print('got', line.strip())\nprint('x' * 3_000_000)\nsys.exit(42)"


class SpawnerDeath(cove.Test):
    """No code, no output byte and no exit code is lost with the spawner."""

    def begin(self, *arguments):
        child = self.cove.start("run", *arguments)
        self.addCleanup(cove.end, child)
        line = child.stdout.readline()
        self.assertEqual(line, b"ready\n", line or child.communicate(timeout=cove.PATIENCE)[1])
        return child

    def kill_spawner(self):
        pid = self.cove.spawner_pid()
        os.kill(pid, signal.SIGKILL)
        cove.wait_until(lambda: not os.path.exists(f"/proc/{pid}") or cove.is_zombie(pid), "its death")

    def check_whole(self, child):
        out, err = child.communicate(b"a line\n", timeout=cove.PATIENCE)
        self.assertEqual((child.returncode, err), (42, b""))
        self.assertEqual(out, b"got a line\n" + b"x" * 3_000_000 + b"\n")

    def test_a_run_goes_on_and_is_removed(self):
        child = self.begin("-c", PROGRAM)
        self.kill_spawner()
        self.assertIsNone(self.cove.spawner_pid())
        self.check_whole(child)
        self.cove.wait_for_sandboxes(0)
        self.assertEqual([name for name in self.cove.traces()["files"] if name.startswith("sandboxes/")], [])

    def test_a_new_one_takes_over(self):
        children = [self.begin("-c", PROGRAM) for _ in range(3)]
        self.kill_spawner()
        self.check_run(self.cove.run("-c", "print('meanwhile')"), 0, b"meanwhile\n", b"")
        self.assertIn(b"3 sandbox", self.cove.call("spawner", "status").stdout)
        for child in children:
            self.check_whole(child)
        self.cove.wait_for_sandboxes(0)

    def test_again_and_again(self):
        child = self.begin("-c", PROGRAM)
        for _ in range(5):
            self.kill_spawner()
            self.check_run(self.cove.run("--", "true"), 0, b"", b"")
        self.check_whole(child)
        self.cove.wait_for_sandboxes(0)

    def test_limits_hold_without_it(self):
        child = self.begin("--timeout", "2s", "--json", "-c", "print('ready')\nwhile True: pass")
        self.kill_spawner()
        out, _ = child.communicate(timeout=cove.PATIENCE)
        self.assertEqual((child.returncode, json.loads(out)["cause"]), (124, "timeout"))
        hog = self.begin("--memory", "64M", "--json", "-c", "print('ready')\ninput()\nx = bytearray(10**9)")
        self.kill_spawner()
        out, _ = hog.communicate(b"go\n", timeout=cove.PATIENCE)
        self.assertEqual((hog.returncode, json.loads(out)["cause"]), (137, "out_of_memory"))
        self.cove.wait_for_sandboxes(0)

    def test_ids_of_the_living_are_not_given_away(self):
        children = [self.begin("--", "sh", "-c", "echo ready; cat; cat /proc/self/uid_map") for _ in range(3)]
        self.kill_spawner()
        children += [self.begin("--", "sh", "-c", "echo ready; cat; cat /proc/self/uid_map") for _ in range(3)]
        maps = {child.communicate(timeout=cove.PATIENCE)[0].split()[1] for child in children}
        self.assertEqual(len(maps), 6, maps)

    def test_death_of_both(self):
        child = self.begin("--timeout", "1h", "--", "sh", "-c", "trap '' TERM HUP INT; (setsid sleep 600 &); echo ready; while :; do sleep 1; done")
        self.kill_spawner()
        child.kill()
        child.wait()
        # Its init ends by itself; the groups are the next spawner's to remove.
        cove.wait_until(lambda: not self.cove.traces()["processes"], "the end of the sandbox", 10)
        heir = self.cove.start_spawner()
        self.assertIsNone(heir.poll())
        self.cove.wait_for_sandboxes(0, limit=10)
        self.assertEqual([name for name in self.cove.traces()["files"] if name.startswith("sandboxes/")], [])
        self.cove.stop_spawner()


class OnePerStateDirectory(cove.Test):
    def test_a_second_one_is_refused(self):
        self.cove.run("--", "true")
        first = self.cove.spawner_pid()
        second = self.cove.try_spawner()
        _, said = second.communicate(timeout=30)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"another spawner already serves {self.cove.state}".encode(), said)
        self.assertEqual(self.cove.spawner_pid(), first)
        self.check_run(self.cove.run("-c", "print(1)"), 0, b"1\n", b"")

    def test_many_at_once_leave_one(self):
        self.cove.stop_spawner()
        command = [cove.program("cove-spawner"), "--state", self.cove.state, "--linger", "30s"]
        crowd = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(8)]
        try:
            cove.wait_until(lambda: sum(one.poll() is None for one in crowd) == 1, "all but one to give up")
            alive = [one.pid for one in crowd if one.poll() is None]
            cove.wait_until(lambda: self.cove.spawner_pid() == alive[0], "the one to serve")
            self.check_run(self.cove.run("-c", "print(1)"), 0, b"1\n", b"")
        finally:
            self.cove.stop_spawner()
            for one in crowd:
                cove.end(one)

    def test_another_state_directory_is_another_spawner(self):
        self.cove.run("--", "true")
        other = cove.Instance()
        try:
            self.check_run(other.run("-c", "print(1)"), 0, b"1\n", b"")
            self.assertNotEqual(other.spawner_pid(), self.cove.spawner_pid())
        finally:
            self.assertEqual(other.close(), [])

    def test_an_empty_socket_file_does_not_stop_it(self):
        self.cove.stop_spawner()
        os.makedirs(self.cove.run_directory, mode=0o700, exist_ok=True)
        with open(self.cove.socket, "w", encoding="ascii"):
            pass
        self.check_run(self.cove.run("-c", "print(1)"), 0, b"1\n", b"")


if __name__ == "__main__":
    cove.main()
