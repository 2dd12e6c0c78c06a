"""`cove doctor` on a machine of cgroup v2 alone: everything needed is there, before the first sandbox and beside one."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))

import cove
import guest
import traces


class Doctor(cove.Test):
    def required(self):
        done = self.cove.call("doctor")
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0, text)
        return text.partition("Required")[2].partition("Advised")[0]

    def test_all_that_is_required_is_there(self):
        required = self.required()
        self.assertNotIn("MISSING", required)
        self.assertNotIn("unknown", required)
        self.assertRegex(required, rf"cgroup.unified +v2, unified at {guest.TOP}")

    def test_no_controller_is_v1(self):
        self.assertEqual(traces.hierarchies(), [guest.TOP])
        self.assertEqual(traces.read("/proc/self/cgroup").count("\n"), 1)

    def test_controllers_take_limits_once_cove_has_passed_them_on(self):
        self.check_run(self.cove.run("--", "true"), 0, b"", b"")
        required = self.required()
        for controller in ("memory", "pids", "cpu"):
            self.assertRegex(required, rf"cgroup.{controller} +v2 at {guest.TOP}, took a limit")


if __name__ == "__main__":
    cove.main()
