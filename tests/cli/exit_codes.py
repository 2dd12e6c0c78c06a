"""What a run ends with: the program's own code, or the documented code of what ended it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class ExitCodes(cove.Test):
    def test_the_answer(self):
        self.check_run(self.cove.run("-c", "print(6*7)"), 0, b"42\n", b"")

    def test_own_codes_pass_through(self):
        for code in (0, 1, 42, 255):
            self.check_run(self.cove.run("-c", f"import sys; sys.exit({code})"), code, b"", b"")

    def test_timeout_is_124(self):
        done = self.cove.run("--timeout", "300ms", "-c", "import time; time.sleep(60)")
        self.check_run(done, 124, b"")
        self.assertIn(b"timeout after 300.0 ms", done.stderr)

    def test_out_of_memory_is_137(self):
        done = self.cove.run("--memory", "64M", "-c", "x = bytearray(10**9)")
        self.check_run(done, 137, b"")
        self.assertIn(b"out of memory", done.stderr)

    def test_a_signal_is_128_and_its_number(self):
        for number in (6, 9, 11, 15):
            done = self.cove.run("-c", f"import os; os.kill(os.getpid(), {number})")
            self.check_run(done, 128 + number, b"")
            self.assertIn(f"crashed by signal {number}".encode(), done.stderr)

    def test_not_executable_is_126(self):
        self.check_refused(self.cove.run("--", "/etc/passwd"), 126, "exec(/etc/passwd)")
        self.check_refused(self.cove.run("--", "/etc"), 126, "exec(/etc)")

    def test_not_found_is_127(self):
        self.check_refused(self.cove.run("--", "no-such-program"), 127, "no-such-program")
        self.check_refused(self.cove.run("--", "/no/such/program"), 127, "/no/such/program")

    def test_a_missing_template_is_125_and_says_how_to_build_it(self):
        done = self.cove.run("--template", "nowhere", "-c", "1")
        self.check_refused(done, 125, "no template", "nowhere", "cove template build nowhere")

    def test_a_missing_script_names_it(self):
        done = self.cove.run("/no/such/script.py")
        self.assertIn(done.returncode, (125, 127))
        self.assertIn(b"/no/such/script.py", done.stderr)

    def test_wrong_usage_is_2(self):
        self.check_refused(self.cove.run(), 2, "nothing to run")


if __name__ == "__main__":
    cove.main()
