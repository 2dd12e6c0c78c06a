"""--env: what arrives, what is refused, and that nothing of the host's environment does."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class EnvironmentOption(cove.Test):
    def test_variables_arrive(self):
        code = "import os; print([os.environ.get(n) for n in ('A', 'B', 'C', 'D')])"
        done = self.cove.run("--env", "A=1", "--env", "B=two words=more", "--env", "C=", "--env", "D=ü\n", "-c", code)
        self.check_run(done, 0, "['1', 'two words=more', '', 'ü\\n']\n".encode(), b"")

    def test_the_last_one_wins_also_over_the_template(self):
        done = self.cove.run("--env", "A=1", "--env", "LANG=C", "--env", "A=2", "--", "sh", "-c", "echo $A $LANG; env | grep -c '^A='")
        self.check_run(done, 0, b"2 C\n1\n")

    def test_wrong_forms(self):
        for wrong in ("A", "=x", "=", ""):
            self.check_refused(self.cove.run("--env", wrong, "-c", "1"), 2, "--env wants NAME=VALUE", f"'{wrong}'")

    def test_a_missing_value(self):
        done = self.cove.run("--env")
        self.check_run(done, 2, b"")
        self.assertIn(b"--env", done.stderr)

    def test_does_not_swallow_the_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write("import os; print(os.environ['A'])")
            script.flush()
            self.check_run(self.cove.run("--env", "A=1", script.name), 0, b"1\n")

    def test_nothing_of_ours_leaks_in(self):
        done = self.cove.run("-c", "import os; print(sorted(os.environ))", env=os.environ | {"SECRET_OF_THE_HOST": "1"})
        self.check_run(done, 0)
        self.assertNotIn(b"SECRET_OF_THE_HOST", done.stdout)
        names = set(eval(done.stdout)) - {"LC_CTYPE"}  # Python's own
        self.assertEqual(names, {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
                                 "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "GOMEMLIMIT"})


if __name__ == "__main__":
    cove.main()
