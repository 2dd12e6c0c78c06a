"""pytest, in templates that have it: fixtures, parameters, temporary paths, captured output, a failure that is one."""

import pathlib
import subprocess
import sys
import tempfile

import compat

SUITE = """import pytest
@pytest.fixture
def base():
    return 20
@pytest.mark.parametrize("extra", [1, 2, 3])
def test_sum(base, extra):
    assert base + extra > 20
def test_files(tmp_path):
    (tmp_path / "x").write_text("1")
    assert (tmp_path / "x").read_text() == "1"
def test_output(capfd):
    print("hello")
    assert capfd.readouterr().out == "hello\\n"
"""


def run_suite(text):
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "test_suite.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-q"]
        return subprocess.run(command, cwd=name, capture_output=True, text=True)


def passing_suite():
    result = run_suite(SUITE)
    compat.equal((result.returncode, "5 passed" in result.stdout), (0, True))


def failing_suite():
    result = run_suite(SUITE + "def test_wrong():\n    assert 1 == 2\n")
    compat.equal((result.returncode, "1 failed, 5 passed" in result.stdout), (1, True))


compat.run(passing_suite, failing_suite)
