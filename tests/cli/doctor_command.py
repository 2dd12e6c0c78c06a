"""cove doctor: the verdict of this host, as text and as JSON, and what it says where something is missing."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class DoctorCommand(cove.Test):
    def test_this_host_works(self):
        done = self.cove.call("doctor")
        self.check_run(done, 0, stderr=b"")
        self.assertGreater(len(done.stdout.splitlines()), 10)

    def test_json_says_the_same(self):
        done = self.cove.call("doctor", "--json")
        self.check_run(done, 0, stderr=b"")
        told = json.loads(done.stdout)
        self.assertIs(told["default_tier_works"], True)
        self.assertEqual(sorted(told), ["default_tier_works", "environment", "findings", "kernel", "system"])
        self.assertGreater(len(told["findings"]), 10)
        ids = [finding["id"] for finding in told["findings"]]
        self.assertEqual(len(ids), len(set(ids)))
        for finding in told["findings"]:
            self.assertEqual(sorted(finding), ["fix", "found", "id", "level", "needed", "status", "why"])
            self.assertTrue(finding["found"] and finding["needed"] and finding["why"], finding)
        text = self.cove.call("doctor").stdout.decode()
        self.assertIn(os.uname().release, text)

    def test_what_is_missing_comes_with_a_remedy(self):
        # A host without cgroups and with a read-only look of things, made in namespaces of this test's own.
        hide = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
        done = subprocess.run(["unshare", "--mount", "sh", "-c", hide, "sh", *self.cove.command("doctor", "--json")], capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        told = json.loads(done.stdout)
        self.assertIs(told["default_tier_works"], False)
        bad = [finding for finding in told["findings"] if finding["status"] not in ("ok", "info") and finding["level"] == "required"]
        self.assertTrue(bad)
        for finding in bad:
            self.assertTrue(finding["fix"], finding)
        self.assertTrue(any("cgroup" in finding["id"] for finding in bad), [finding["id"] for finding in bad])

    def test_leaves_nothing(self):
        before = self.cove.traces()
        self.cove.call("doctor")
        self.assertEqual(self.cove.traces(), before)


if __name__ == "__main__":
    cove.main()
