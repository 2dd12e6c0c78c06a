"""Whoever is orphaned in a sandbox is reaped."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class Orphans(cove.Test):
    def test_ten_thousand_orphans_are_reaped(self):
        code = ("import os, time\n"
                "for number in range(10_000):\n"
                "  if os.fork() == 0:\n"
                "    if os.fork() == 0: os._exit(0)\n"
                "    os._exit(0)\n"
                "  os.wait()\n"
                "def zombies(): return sum(open(f'/proc/{p}/stat').read().rpartition(')')[2].split()[0] == 'Z' for p in os.listdir('/proc') if p.isdigit())\n"
                "for _ in range(100):\n"
                "  try: left = zombies()\n"
                "  except OSError: continue\n"
                "  if left == 0: break\n"
                "  time.sleep(0.05)\n"
                "print('left', left)\n")
        done, output, told = self.cove.receipt("--timeout", "5m", "--pids", "64", "-c", code, timeout=280)
        self.check_run(done, 0)
        self.assertEqual((output, told["cause"]), (b"left 0", "ok"))


if __name__ == "__main__":
    cove.main()
