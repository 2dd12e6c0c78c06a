"""cove service: the systemd unit, and what is done where systemd does not run."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class ServiceCommand(cove.Test):
    def unit(self, *arguments):
        done = self.cove.call("service", "show", *arguments)
        self.check_run(done, 0, stderr=b"")
        return done.stdout.decode()

    def test_the_unit_runs_what_was_asked_for(self):
        line = next(line for line in self.unit("--listen", "127.0.0.1:1", "--set", "max_ttl=1d").splitlines() if line.startswith("ExecStart="))
        self.assertEqual(line, f'ExecStart="{cove.program("cove")}" "--state" "{self.cove.state}" "serve" "--set" "listen=127.0.0.1:1" "--set" "max_ttl=1d"')

    def test_systemd_understands_it(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("this machine has no systemd")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cove-checked.service")
            with open(path, "w", encoding="ascii") as file:
                file.write(self.unit())
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, check=False)
            self.assertNotIn(b"cove-checked", done.stderr)

    def test_what_would_be_refused_later_is_refused_now(self):
        self.check_refused(self.cove.call("service", "show", "--set", "max_tll=1d"), 2, "did you mean 'max_ttl'?")
        self.check_refused(self.cove.call("service", "show", "--name", "../x"), 2, "--name")

    def test_without_systemd_it_says_what_to_do(self):
        # In the test's own mount namespace: nothing of the machine's is touched, whatever runs there.
        with tempfile.TemporaryDirectory() as units, tempfile.TemporaryDirectory() as nothing:
            os.makedirs("/etc/systemd/system", exist_ok=True)
            cove._bind(units, "/etc/systemd/system")
            hidden = os.path.isdir("/run/systemd")
            if hidden:
                cove._bind(nothing, "/run/systemd")
            try:
                done = self.cove.call("service", "install")
                self.check_run(done, 0, stderr=b"")
                self.assertIn(b"systemctl enable --now cove", done.stdout)
                with open(f"{units}/cove.service", encoding="ascii") as file:
                    self.assertEqual(file.read(), self.unit())
                self.check_run(self.cove.call("service", "remove"), 0, b"removed /etc/systemd/system/cove.service\n", b"")
                self.check_run(self.cove.call("service", "remove"), 0, b"there is no /etc/systemd/system/cove.service\n", b"")
                self.assertEqual(os.listdir(units), [])
            finally:
                cove._libc.umount2(b"/etc/systemd/system", cove.MNT_DETACH)
                if hidden:
                    cove._libc.umount2(b"/run/systemd", cove.MNT_DETACH)


if __name__ == "__main__":
    cove.main()
