"""A failure, and a death, injected at each setup step of both tables."""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import spawner_wire
import traces


def step_names(instance):
    """Both tables, as a real sandbox's receipt tells them."""
    _, _, told = instance.receipt("--", "true")
    instance.stop_spawner()
    return [step["step"] for step in told["receipt"]["setup"]["steps"]]


class FailureAtEachStep(cove.Test):
    """The step fails with EIO: the error names it, and nothing that was made before it stays."""

    config = "ready = 0\n"  # what is kept for later would be counted

    def test_every_step(self):
        names = step_names(self.cove)
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(step=name):
                try:
                    self.fail_at(name)
                finally:
                    self.cove.stop_spawner()

    def fail_at(self, step):
        spawner = self.cove.start_spawner("control-spawner", {"COVE_FAIL_STEP": step})
        self.attempt(step)  # the first one makes the template's nursery, which stays
        self.cove.wait_for_sandboxes(0)
        before = self.cove.traces(), self.measures(spawner.pid)
        for _ in range(3):
            self.attempt(step)
        self.cove.wait_for_sandboxes(0)
        self.assertEqual((self.cove.traces(), self.measures(spawner.pid)), before)
        self.cove.stop_spawner()
        self.assertEqual(spawner.wait(30), 0)

    def attempt(self, step):
        done = self.cove.run("--", "true")
        self.check_refused(done, 125, f"{step}: injected: Input/output error")

    def measures(self, pid):
        self.cove.wait_for_disks()
        return {"descriptors": traces.descriptors(pid), "held namespaces": len(traces.held_namespaces(pid)), "children": traces.children(pid),
                "mounts": traces.mounts(pid)}


class DeathIsTold(cove.Test):
    def test_the_command_that_waits_for_it_says_so(self):
        spawner = self.cove.start_spawner("control-spawner", {"COVE_KILL_STEP": "make stage"})
        self.check_refused(self.cove.run("--", "true"), 125, "the spawner has closed the connection")
        self.assertEqual(spawner.wait(30), -signal.SIGKILL)
        self.check_run(self.cove.run("-c", "print('works')"), 0, b"works\n", b"")


class DeathAtEachStep(cove.Test):
    """kill -9 of the spawner as the step begins: the next one leaves no trace of the half-made sandbox."""

    def test_every_step(self):
        for name in step_names(self.cove):
            with self.subTest(step=name):
                try:
                    self.die_at(name)
                finally:
                    self.cove.stop_spawner()

    def die_at(self, step):
        namespaces = self.cove.traces()["network namespaces"]
        spawner = self.cove.start_spawner("control-spawner", {"COVE_KILL_STEP": step})
        with self.cove.connect() as client:
            client.send(spawner_wire.create_packet(self.cove.digest()))
            self.assertEqual(spawner.wait(30), -signal.SIGKILL)
        self.assertEqual(len(traces.made_ahead(self.cove.run_directory)), 1, "a half-made sandbox is there to be found")
        heir = self.cove.start_spawner()
        left = self.cove.traces()
        self.assertEqual((left["cgroups"], left["processes"]), (set(), set()))
        self.assertEqual(left["network namespaces"], namespaces)
        self.assertEqual(left["files"], ["sandboxes", "spawner.lock", "spawner.log", "spawner.sock", "stage"])
        self.assertFalse([mount for mount in traces.mounts(heir.pid) + traces.mounts(1) if self.cove.run_directory in mount])
        self.check_run(self.cove.run("-c", "print('works')"), 0, b"works\n", b"")
        self.cove.stop_spawner()
        self.assertEqual(heir.wait(30), 0)


if __name__ == "__main__":
    cove.main()
