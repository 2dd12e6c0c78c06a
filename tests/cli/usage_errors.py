"""What is not understood is refused with exit code 2, before anything is made."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class UsageErrors(cove.Test):
    def test_unknown_options(self):
        for arguments in (["run", "--nonsense", "-c", "1"], ["run", "-c", "1", "--nonsense"], ["run", "--nonsense"], ["run", "--nonsense=1", "x.py"],
                          ["template", "list", "--nonsense"], ["doctor", "--nonsense"], ["spawner", "status", "--nonsense"],
                          ["template", "build", "base", "--nonsense"], ["--nonsense", "doctor"]):
            with self.subTest(arguments=arguments):
                done = self.cove.call(*arguments)
                self.check_run(done, 2, b"")
                self.assertIn(b"--nonsense", done.stderr)

    def test_unknown_commands(self):
        for arguments in (["fly"], ["template", "fly"], ["spawner", "fly"], ["completion", "tcsh"]):
            self.check_run(self.cove.call(*arguments), 2, b"")

    def test_missing_commands(self):
        for arguments in ([], ["template"], ["spawner"], ["completion"], ["template", "build"], ["template", "rm"], ["template", "show"]):
            with self.subTest(arguments=arguments):
                done = self.cove.call(*arguments)
                self.check_run(done, 2, b"")
                self.assertTrue(done.stderr)

    def test_a_relative_state_directory(self):
        done = subprocess.run([cove.program("cove"), "--state", "here", "run", "-c", "1"], capture_output=True, check=False)
        self.check_refused(done, 2, "--state must be an absolute path")

    def test_an_empty_option_name(self):
        self.check_run(self.cove.run("--=x", "-c", "1"), 2, b"")

    def test_version(self):
        done = subprocess.run([cove.program("cove"), "--version"], capture_output=True, check=False)
        self.check_run(done, 0, stderr=b"")
        self.assertRegex(done.stdout, rb"^cove \d+\.\d+\.\d+\n$")


class WrongConfiguration(cove.Test):
    """Whoever can write it decides what a sandbox may see: so it is checked, and an error names the line."""

    def write(self, text, mode=0o644, owner=0):
        with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False) as file:
            file.write(text)
        self.addCleanup(os.unlink, file.name)
        os.chmod(file.name, mode)
        os.chown(file.name, owner, owner)
        return file.name

    def refused(self, path, *words):
        self.cove.stop_spawner()
        done = subprocess.run([cove.program("cove"), "--state", self.cove.state, "--config", path, "run", "-c", "1"],
                              capture_output=True, check=False, timeout=cove.PATIENCE)
        self.check_refused(done, 125, *words)

    def test_errors_name_file_and_line(self):
        path = self.write("# fine\n\nno_such_key = 1\n")
        self.refused(path, f"{path}:3", "no_such_key", "workspace_roots")
        path = self.write("workspace_roots = relative/path\n")
        self.refused(path, f"{path}:1", "not an absolute directory")
        self.refused(self.write("workspace_roots\n"), "key = value")

    def test_must_belong_to_root_alone(self):
        self.refused(self.write("", owner=1000), "must belong to root", "chown root")
        self.refused(self.write("", mode=0o666), "writable by root alone", "chmod go-w")

    def test_a_missing_one_that_was_asked_for(self):
        self.refused("/no/such/cove.conf", "/no/such/cove.conf", "No such file")

    def test_no_link_is_followed(self):
        real = self.write("")
        link = real + ".link"
        os.symlink(real, link)
        self.addCleanup(os.unlink, link)
        self.refused(link, link)


if __name__ == "__main__":
    cove.main()
