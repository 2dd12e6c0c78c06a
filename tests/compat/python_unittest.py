"""unittest: a small project is discovered and run by a Python of its own; one failing test is reported as such."""

import pathlib
import subprocess
import sys
import tempfile

import compat

CODE = "def double(x):\n    return 2 * x\n"
TEST = """import unittest, code_under_test
class Test(unittest.TestCase):
    def test_double(self):
        self.assertEqual(code_under_test.double(21), {wanted})
"""


def run_suite(wanted):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "code_under_test.py").write_text(CODE)
        (directory / "test_code.py").write_text(TEST.format(wanted=wanted))
        command = [sys.executable, "-m", "unittest", "discover", "-v"]
        return subprocess.run(command, cwd=directory, capture_output=True, text=True)


def passing_suite():
    result = run_suite(42)
    compat.equal((result.returncode, "OK" in result.stderr), (0, True))


def failing_suite():
    result = run_suite(41)
    compat.equal((result.returncode, "FAILED (failures=1)" in result.stderr), (1, True))


compat.run(passing_suite, failing_suite)
