"""What a receipt says of CPU, memory, time and bytes is true."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class TrueFigures(cove.Test):
    """The receipt's figures against programs of known cost."""

    def check_cpu_time(self, code):
        """Against what the kernel tells the program itself at its end: how long an interpreter takes to start is the machine's affair."""
        ask = "\nimport resource\nprint(sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))))"
        _, output, told = self.cove.receipt("-c", code + ask)
        cpu, own = told["receipt"]["cpu_us"] / 1e6, float(output)
        print(f"\n{own:.3f} s of process time are told as {cpu:.3f} s", file=sys.stderr)
        self.assertGreaterEqual(own, 1.5)
        self.assertGreater(cpu, own * 0.99)
        self.assertLess(cpu, own * 1.15)

    def test_cpu_time(self):
        self.check_cpu_time("import time\nwhile time.process_time() < 1.5: pass")

    def test_cpu_time_of_children_counts(self):
        self.check_cpu_time("import os, time\nfor _ in range(3):\n if os.fork() == 0:\n  while time.process_time() < 0.5: pass\n  os._exit(0)\nfor _ in range(3): os.wait()")

    def test_sleeping_costs_nothing(self):
        _, _, told = self.cove.receipt("--", "sleep", "1")
        self.assertGreaterEqual(told["receipt"]["wall_us"], 1_000_000)
        self.assertLess(told["receipt"]["cpu_us"], 200_000)

    def test_peak_memory(self):
        size = 200 << 20
        _, _, told = self.cove.receipt("-c", f"x = bytearray({size})\nfor i in range(0, {size}, 4096): x[i] = 1")
        peak = told["receipt"]["peak_memory_bytes"]
        print(f"\n200 MiB touched are told as {peak / (1 << 20):.1f} MiB", file=sys.stderr)
        self.assertGreaterEqual(peak, size)
        self.assertLess(peak, size * 1.15)

    def test_memory_given_back_still_counts_as_peak(self):
        _, _, told = self.cove.receipt("-c", "x = bytearray(100 << 20)\ndel x\nprint(1)")
        self.assertGreaterEqual(told["receipt"]["peak_memory_bytes"], 100 << 20)

    def test_a_small_program_is_told_small(self):
        _, _, told = self.cove.receipt("--", "true")
        self.assertLess(told["receipt"]["peak_memory_bytes"], 16 << 20)
        self.assertLess(told["receipt"]["cpu_us"], 200_000)

    def test_the_cpu_limit_holds(self):
        code = "import os, time\nfor _ in range(2):\n if os.fork() == 0:\n  while True: pass\ntime.sleep(3)\nos.kill(0, 9)"
        _, _, told = self.cove.receipt("--cpus", "0.5", "-c", code)
        receipt = told["receipt"]
        share = receipt["cpu_us"] / receipt["wall_us"]
        print(f"\ntwo loops at half a CPU used {share:.3f} of one", file=sys.stderr)
        self.assertLess(share, 0.6)
        self.assertGreater(share, 0.2)

    def test_output_bytes(self):
        _, _, told = self.cove.receipt("-c", "import sys; sys.stdout.write('x' * 12345); sys.stderr.write('y' * 678)")
        self.assertEqual(told["receipt"]["output"], {"stdout_bytes": 12345, "stderr_bytes": 678, "dropped_bytes": 0})


if __name__ == "__main__":
    cove.main()
