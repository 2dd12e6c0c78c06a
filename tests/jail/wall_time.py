"""The deadline: TERM, the grace, KILL of everything."""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


LONG_ENOUGH = 1 * cove.SLOWNESS  # seconds for an interpreter to start and set its handlers
GRACE = 2


class WallTime(cove.Test):
    def test_an_endless_loop(self):
        done, _, told = self.cove.receipt("--timeout", "1s", "-c", "while True: pass")
        self.check_run(done, 124)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"], told["signal"]), ("timeout", ["time"], signal.SIGTERM))
        self.assertGreaterEqual(told["receipt"]["wall_us"], 1_000_000)
        self.assertIn(b"timeout after 1.00 s", done.stderr)

    def test_what_ignores_term_is_killed_after_the_grace(self):
        done, output, told = self.cove.receipt("--timeout", f"{LONG_ENOUGH}s", "-c", "import signal, time\nsignal.signal(15, lambda *a: print('not yet'))\nwhile True: time.sleep(9)")
        self.check_run(done, 124)
        self.assertEqual((told["cause"], told["signal"], output), ("timeout", signal.SIGKILL, b"not yet"))
        self.assertGreaterEqual(told["receipt"]["wall_us"], (LONG_ENOUGH + GRACE) * 1_000_000)

    def test_what_catches_term_ends_in_its_own_way(self):
        code = "import signal, sys, time\ndef bye(*a):\n print('saved'); sys.exit(3)\nsignal.signal(15, bye)\ntime.sleep(600)"
        done, output, told = self.cove.receipt("--timeout", f"{LONG_ENOUGH}s", "-c", code)
        self.check_run(done, 124)
        self.assertEqual((told["cause"], told["exit_code"], told["signal"], output), ("timeout", 3, 0, b"saved"))
        self.assertLess(told["receipt"]["wall_us"], (LONG_ENOUGH + GRACE) * 1_000_000, "the grace was not used up")

    def test_a_stopped_process_gets_it_too(self):
        done, output, told = self.cove.receipt("--timeout", f"{LONG_ENOUGH}s", "-c", "import os, signal, sys\nsignal.signal(15, lambda *a: sys.exit(4))\nos.kill(os.getpid(), 19)")
        self.check_run(done, 124)
        self.assertEqual((told["cause"], told["exit_code"]), ("timeout", 4))

    def test_just_in_time_is_ok(self):
        done, _, told = self.cove.receipt("--timeout", "30s", "-c", "import time; time.sleep(0.5)")
        self.check_run(done, 0)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("ok", []))
        self.assertGreaterEqual(told["receipt"]["wall_us"], 500_000)

    def test_daemonised_grandchildren_die(self):
        escape = ("import os, signal, sys, time\n"
                  "for kind in range(4):\n"
                  "  if os.fork() == 0:\n"
                  "    os.setsid()\n"
                  "    if os.fork(): os._exit(0)\n"
                  "    for number in range(1, 32):\n"
                  "      try: signal.signal(number, signal.SIG_IGN)\n"
                  "      except OSError: pass\n"
                  "    if kind == 1: os.setpgid(0, 0) if os.getpgrp() != os.getpid() else None\n"
                  "    if kind == 2: os.close(0); os.close(1); os.close(2)\n"
                  "    while True:\n"
                  "      if kind == 3 and os.fork(): os._exit(0)\n"
                  "      time.sleep(0.05)\n"
                  "print('escaped', flush=True); time.sleep(600)\n")
        child = self.cove.start("run", "--timeout", "2s", "-c", escape)
        self.assertEqual(child.stdout.readline(), b"escaped\n")
        self.assertGreaterEqual(len(self.cove.traces()["processes"]), 5)
        child.communicate(timeout=cove.PATIENCE)
        self.assertEqual(child.returncode, 124)
        self.assertEqual(self.cove.traces()["processes"], set())


if __name__ == "__main__":
    cove.main()
