"""--root: what an installation needs works, and what reaches beyond the sandbox does not."""

import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class RootMode(cove.Test):
    def as_root(self, *command):
        return self.cove.run("--root", "--", *command)

    def status(self, *options):
        done = self.cove.run(*options, "--", "cat", "/proc/self/status")
        self.check_run(done, 0)
        return dict(re.findall(r"^(\w+):\s+(.*)$", done.stdout.decode(), re.MULTILINE))

    def test_is_root_in_its_own_home(self):
        done = self.as_root("sh", "-c", "id -u; id -un; echo $HOME $USER")
        self.check_run(done, 0, b"0\nroot\n/root root\n", b"")

    def test_exactly_seven_capabilities(self):
        status = self.status("--root")
        sets = {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
        self.assertEqual(len(set(sets.values())), 1, sets)
        self.assertEqual(bin(sets["CapEff"]).count("1"), 7, sets)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["Seccomp"], "2")

    def test_without_it_there_are_none(self):
        status = self.status()
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)

    def test_what_an_installation_does_works(self):
        script = """set -e
            mkdir -p /opt/tool/bin && printf '#!/bin/sh\\necho installed\\n' > /usr/bin/tool && chmod 755 /usr/bin/tool && tool
            chown 1000:1000 /usr/bin/tool && stat -c %u:%g /usr/bin/tool
            chown daemon:daemon /opt/tool && chmod 2755 /opt/tool && stat -c %a /opt/tool
            install -o 33 -g 33 -m 640 /etc/passwd /etc/copy && stat -c '%u %a' /etc/copy
            rm -rf /usr/share/doc && [ ! -e /usr/share/doc ]
            useradd --system --no-create-home service && id -u service > /dev/null
            su -s /bin/sh user -c 'id -u'"""
        done = self.as_root("sh", "-c", script)
        self.check_run(done, 0, b"installed\n1000:1000\n2755\n33 640\n1000\n", b"")

    def test_dpkg_installs_a_package(self):
        script = """set -e; cd /tmp; mkdir -p p/DEBIAN p/usr/bin
            printf 'Package: tiny\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b.c>\\nDescription: tiny\\n' > p/DEBIAN/control
            printf '#!/bin/sh\\necho configured\\n' > p/DEBIAN/postinst; chmod 755 p/DEBIAN/postinst
            printf '#!/bin/sh\\necho tiny works\\n' > p/usr/bin/tiny; chmod 755 p/usr/bin/tiny
            dpkg-deb --root-owner-group -b p tiny.deb > /dev/null; dpkg -i tiny.deb > /dev/null; tiny; dpkg -r tiny > /dev/null; [ ! -e /usr/bin/tiny ]"""
        done = self.as_root("sh", "-c", script)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, [b"tiny works"]), done.stderr)

    def test_what_reaches_beyond_does_not(self):
        attempts = {"mount": "mount -t tmpfs none /mnt", "bind": "mount --bind /etc /mnt", "umount": "umount /proc", "device": "mknod /tmp/sda b 8 0",
                    "character device": "mknod /tmp/mem c 1 1", "hostname": "hostname evil", "time": "date -s 2001-01-01", "unshare": "unshare -m true",
                    "user namespace": "unshare -U true", "remount": "mount -o remount,rw /sys", "raw disk": "cat /dev/vda", "chown beyond the map": "chown 70000 /tmp",
                    "sysctl": "echo 1 > /proc/sys/kernel/panic", "route": "ip link set lo down", "nice": "nice -n -10 sh -c '[ $(nice) = -10 ]'"}
        for name, command in attempts.items():
            with self.subTest(attempt=name):
                done = self.as_root("sh", "-c", command)
                self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_nothing_of_it_stays(self):
        self.check_run(self.as_root("sh", "-c", "rm -rf /usr/bin/python3* /etc/passwd; echo gone > /etc/hostname"), 0, b"", b"")
        self.check_run(self.cove.run("-c", "print(open('/etc/passwd').read().count('root') > 0)"), 0, b"True\n")

    def test_a_script_runs_as_root_too(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write("import os; print(os.getuid())")
            script.flush()
            self.check_run(self.cove.run("--root", script.name), 0, b"0\n")


if __name__ == "__main__":
    cove.main()
