"""Row E10: the CPU quota holds wherever a program runs. Its affinity is a hint that it may change."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


# Sixteen processes that first take every CPU they can get; says how many CPUs they used, and how many they could run on.
BURN = """
import os, time
os.sched_setaffinity(0, range(1024))
wide = len(os.sched_getaffinity(0))
start = time.monotonic()
for _ in range(16):
    if os.fork() == 0:
        while time.monotonic() < start + 8: pass
        os._exit(0)
for _ in range(16): os.wait()
used = os.times()
print((used.children_user + used.children_system) / (time.monotonic() - start), wide)
"""


class CpuQuota(cove.Test):
    def burn(self, cpus):
        done = self.cove.run("--cpus", cpus, "-c", BURN)
        self.check_run(done, 0)
        used, wide = done.stdout.split()
        print(f"\n--cpus {cpus}: sixteen burning processes used {float(used):.3f} CPU on {int(wide)}", file=sys.stderr)
        self.assertEqual(int(wide), os.cpu_count(), "the affinity was widened")
        return float(used)

    def test_a_wider_affinity_gives_nothing(self):
        self.assertGreater(self.burn("1"), 0.1 * 1.05, "with more quota the same program uses more")
        self.assertLessEqual(self.burn("0.1"), 0.1 * 1.05)


if __name__ == "__main__":
    cove.main()
