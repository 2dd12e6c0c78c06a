"""Rows E06 to E09 on every backend that this host can do, each on a small host file system of its own: a sandbox that fills its disk
hurts nobody, and a host that fills up hurts no sandbox."""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove

MI = 1 << 20
HOST = 700 * MI  # the host file system that a class of tests has for itself
ENOSPC, EDQUOT = 28, 122
FULL = (ENOSPC, EDQUOT)

# Writes until it is refused or `most` are written; prints how many MiB and the errno.
FILL = """
import os, sys
def fill(path, most):
    f = os.open(path, os.O_CREAT | os.O_WRONLY)
    n = error = 0
    try:
        while n < most: n += os.write(f, b'x' * 65536)
        os.fsync(f)
    except OSError as e: error = e.errno
    os.close(f)
    print(n >> 20, error, flush=True)
"""


class HostFileSystem:
    """An ext4 of its own below the test's private mounts; everything of it goes with them."""

    def __init__(self, features=(), options="loop"):
        self.folder = tempfile.mkdtemp(prefix="cove-host-")
        self.image, self.path = f"{self.folder}/image", f"{self.folder}/mnt"
        os.mkdir(self.path)
        with open(self.image, "wb") as file:
            file.truncate(HOST)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", *features, self.image], check=True)
        done = subprocess.run(["mount", "-t", "ext4", "-o", options, self.image, self.path], capture_output=True, check=False)
        self.refusal = done.stderr.decode()

    def free(self):
        os.sync()
        stat = os.statvfs(self.path)
        return stat.f_bfree * stat.f_bsize

    def fill(self):
        """As root, to the last block."""
        with open(f"{self.path}/ballast", "wb", buffering=0) as file:
            size = 16 * MI
            while size >= 4096:
                try:
                    file.write(b"b" * size)
                except OSError:
                    size //= 2
        os.sync()

    def close(self):
        if not self.refusal:
            subprocess.run(["umount", self.path], check=True)
        shutil.rmtree(self.folder)


def instance_on(host, config):
    tempfile.tempdir, before = host.path, tempfile.tempdir
    try:
        instance = cove.Instance()
    finally:
        tempfile.tempdir = before
    instance.configure("ready = 0\n" + config)  # sandboxes made ahead hold disks
    return instance


def loop_devices(instance):
    """Those that hold a disk of this instance."""
    name = os.path.basename(instance.state)
    found = []
    for path in glob.glob("/sys/block/loop*/loop/backing_file"):
        try:
            with open(path, encoding="utf-8") as file:
                if f"{name}/disks/" in file.read():
                    found.append("/dev/" + path.split("/")[3])
        except OSError:  # cleared while we look
            pass
    return found


class OnBackend:
    """The rows; a class per backend says which."""

    backend = features = None
    options = "loop"
    pool = 1

    @classmethod
    def setUpClass(cls):
        cls.host = HostFileSystem(cls.features or (), cls.options)
        cls.cove = instance_on(cls.host, f"disk = {cls.backend}\ndisk_size = 64M\ndisk_pool = {cls.pool}\ndisk_reserve = 16M\n")

    @classmethod
    def tearDownClass(cls):
        left = cls.cove.close()
        cls.host.close()
        if left:
            raise AssertionError("left behind: " + "; ".join(left))

    def settled(self):
        """Free space of the host once nothing changes it any more."""
        seen = [self.host.free()]
        cove.wait_until(lambda: seen.append(self.host.free()) or (len(seen) > 3 and len(set(seen[-3:])) == 1) or time.sleep(0.2), "quiet")
        return seen[-1]

    def begin(self, *arguments):
        child = self.cove.start("run", *arguments)
        self.addCleanup(cove.end, child)
        return child

    def ok(self, *arguments):
        done = self.cove.run(*arguments)
        self.check_run(done, 0)
        return done.stdout.decode().split()

    def test_the_status_names_it(self):
        self.ok("--", "true")
        self.assertIn(f"disks: {self.backend}", self.cove.call("spawner", "status").stdout.decode())

    def test_e06_a_fill_ends_at_the_limit_and_hurts_nobody(self):
        control = self.ok("--disk", "128M", "--memory", "256M", "-c", FILL + f"fill('/home/user/f', {80 * MI})")
        self.assertEqual(control, ["80", "0"], "with a larger disk it works")
        self.ok("--disk", "64M", "--", "true")
        before = self.settled()
        hog = self.begin("--disk", "64M", "--memory", "256M", "-c", FILL + f"fill('/home/user/f', {80 * MI})\nsys.stdin.read()")
        written, error = map(int, hog.stdout.readline().split())
        self.assertIn(error, FULL)
        self.assertTrue(64 * 0.8 < written <= 64, written)
        self.assertLessEqual(before - self.settled(), 64 * MI * 1.05 * (1 + self.pool))
        self.assertEqual(self.ok("--disk", "64M", "--memory", "256M", "-c", FILL + f"fill('/home/user/f', {40 * MI})"), ["40", "0"])
        hog.communicate(timeout=cove.PATIENCE)

    def test_e07_inodes_have_a_limit_of_their_own(self):
        code = ("import os\nn = error = 0\ntry:\n for n in range(6000): os.close(os.open(f'/home/user/{n}', os.O_CREAT))\n"
                "except OSError as e: error = e.errno\nprint(n, error)")
        self.assertEqual(self.ok("--disk", "64M", "--memory", "256M", "-c", code), ["5999", "0"], "where there are enough it works")
        number, error = map(int, self.ok("--disk", "16M", "-c", code))
        self.assertIn(error, FULL)
        self.assertTrue(1000 < number <= 4096, number)
        _, _, told = self.cove.receipt("--disk", "16M", "-c", code + "\nraise SystemExit(1)")
        self.assertEqual(told["cause"], "disk_full")

    def test_e08_every_way_to_take_space_counts(self):
        code = FILL + f"""
f = os.open('/home/user/a', os.O_CREAT | os.O_RDWR)
try: os.posix_fallocate(f, 0, {100 * MI}); print('allocated')
except OSError as e: print(e.errno)
os.ftruncate(f, 0)
os.unlink('/home/user/a')
try:
    while True: os.write(f, b'x' * 65536)
except OSError as e: print(e.errno)
try: open('/home/user/b', 'wb', buffering=0).write(b'x' * {MI}); print('written')
except OSError as e: print(e.errno)
os.close(f)
fill('/home/user/c', {40 * MI})
os.unlink('/home/user/c')
os.mkdir('/home/user/farm')
os.chdir('/home/user/farm')
n = error = 0
try:
    while True:
        if n % 30_000 == 0: open(f'file{{n}}', 'w').close()
        os.link(f'file{{n - n % 30_000}}', str(n).rjust(250, 'n'))
        n += 1
except OSError as e: error = e.errno
print(error)
"""
        allocated, unlinked, beside, again, no_error, farm = map(int, self.ok("--disk", "64M", "--memory", "512M", "-c", code))
        self.assertTrue({allocated, unlinked, beside} <= set(FULL), (allocated, unlinked, beside))
        self.assertEqual((again, no_error), (40, 0), "what a closed file had is there again")
        self.assertIn(farm, FULL, "names take space")

    def test_e08_all_of_it_is_free_again_afterwards(self):
        self.ok("--disk", "64M", "--", "true")
        before = self.settled()
        for _ in range(3):
            self.ok("--disk", "64M", "--memory", "256M", "-c", FILL + f"fill('/home/user/f', {80 * MI})")
        cove.wait_until(lambda: abs(before - self.host.free()) < 2 * MI, f"{before} bytes free again, there are {self.host.free()}")

    def test_user_attributes_hard_links_and_nameless_files_work(self):
        code = """
import os
open('/home/user/f', 'w').write('text')
os.setxattr('/home/user/f', 'user.note', b'kept')
os.link('/home/user/f', '/home/user/g')
t = os.open('/home/user', os.O_TMPFILE | os.O_RDWR)
os.write(t, b'nameless')
os.link(f'/proc/self/fd/{t}', '/home/user/h', src_dir_fd=os.open('/', os.O_PATH))
print(os.getxattr('/home/user/g', 'user.note').decode(), os.stat('/home/user/f').st_nlink, open('/home/user/h').read())
"""
        self.assertEqual(self.ok("-c", code), ["kept", "2", "nameless"])


class OnTheHostsDisk(OnBackend):
    """Where disks take up space of the host."""

    def test_e09_admission_stops_before_the_host_is_full(self):
        before = self.settled()
        done = self.cove.run("--disk", "680M", "--", "true")
        self.check_refused(done, 125, "no room for a disk of 680.0 MiB", "stay in reserve", "--disk")
        # Disks that waited ready gave way to the request; they come back after a while.
        cove.wait_until(lambda: abs(before - self.settled()) < 70 * MI, "the host's space as before")
        self.ok("--", "true")

    def test_a_disk_may_be_larger_than_memory(self):
        _, _, told = self.cove.receipt("--memory", "64M", "--disk", "300M", "-c", FILL + f"fill('/home/user/f', {250 * MI})")
        self.assertEqual((told["cause"], told["receipt"]["limits"]["disk_bytes"]), ("ok", 300 * MI))

    def test_the_default_is_the_configured_size(self):
        _, _, told = self.cove.receipt("--", "true")
        self.assertEqual(told["receipt"]["limits"]["disk_bytes"], 64 * MI)


class Loop(OnTheHostsDisk, cove.Test):
    backend = "loop"

    def test_e09_a_full_host_takes_nothing_from_a_sandbox(self):
        code = "input()\n" + FILL + f"fill('/home/user/f', {80 * MI})\nprint(sum(len(b) for b in iter(lambda f=open('/home/user/f', 'rb'): f.read(1 << 20), b'')) >> 20)"
        pair = [self.begin("--disk", "100M", "--memory", "256M", "-c", code) for _ in range(2)]
        self.cove.wait_for_sandboxes(2)
        self.addCleanup(lambda: os.path.exists(f"{self.host.path}/ballast") and os.unlink(f"{self.host.path}/ballast"))
        self.host.fill()
        self.assertLess(os.statvfs(self.host.path).f_bavail * 4096, MI, "the host is full")
        for child in pair:
            out, err = child.communicate(b"go\n", timeout=cove.PATIENCE)
            self.assertEqual((child.returncode, out.split()), (0, [b"80", b"0", b"80"]), err)
        done = self.cove.run("--disk", "300M", "--", "true")
        self.check_refused(done, 125, "no room for a disk")
        os.unlink(f"{self.host.path}/ballast")
        self.ok("--disk", "100M", "--", "true")

    def search(self, word):
        found = []
        for device in loop_devices(self.cove):
            try:
                with open(device, "rb") as file:
                    while block := file.read(4 * MI):
                        if word in block:
                            found.append(device)
                            break
            except OSError:  # gone while we look
                pass
        return found

    def test_nothing_of_a_former_tenant_is_on_the_next_ones_device(self):
        word = b"canary-" + os.urandom(8).hex().encode()
        code = f"import os\nf = os.open('/home/user/f', os.O_CREAT | os.O_WRONLY)\nos.write(f, b'{word.decode()}' * 100_000)\nos.fsync(f)\nprint('ready', flush=True)\ninput()"
        tenant = self.begin("-c", code)
        self.assertEqual(tenant.stdout.readline(), b"ready\n")
        os.sync()  # a sandbox's own fsync waits for no disk
        self.assertEqual(len(self.search(word)), 1, "while it lives, the word is on its device")
        tenant.communicate(b"\n", timeout=cove.PATIENCE)
        following = self.begin("-c", "print('ready', flush=True)\ninput()")
        self.assertEqual(following.stdout.readline(), b"ready\n")
        # The old device goes in the background; one that had its blocks would stay.
        cove.wait_until(lambda: len(loop_devices(self.cove)) == 1 + self.pool and not self.search(word),
                        "the old device to go, the pool to be full, and the word to be nowhere")
        following.communicate(b"\n", timeout=cove.PATIENCE)

    def test_kill_9_at_any_time_leaves_no_device_and_no_image(self):
        self.cove.stop_spawner()
        for number in range(12):
            child = subprocess.Popen([cove.program("cove-spawner"), "--state", self.cove.state, "--config", self.cove.config], stderr=subprocess.DEVNULL)
            time.sleep(0.02 * number)
            child.send_signal(signal.SIGKILL)
            child.wait()
            cove.wait_until(lambda: not loop_devices(self.cove), f"no device, there are {loop_devices(self.cove)}")
            self.assertEqual(os.listdir(f"{self.cove.state}/disks"), [])

    def test_a_sandbox_keeps_its_disk_without_a_spawner(self):
        child = self.begin("-c", "print('ready', flush=True)\ninput()\n" + FILL + f"fill('/home/user/f', {40 * MI})")
        self.assertEqual(child.stdout.readline(), b"ready\n")
        os.kill(self.cove.spawner_pid(), signal.SIGKILL)
        cove.wait_until(lambda: len(loop_devices(self.cove)) == 1, "its own device alone")
        self.assertEqual(self.ok("-c", "print('meanwhile')"), ["meanwhile"])
        out, err = child.communicate(b"go\n", timeout=cove.PATIENCE)
        self.assertEqual((child.returncode, out.split()), (0, [b"40", b"0"]), err)
        self.cove.wait_for_sandboxes(0)
        cove.wait_until(lambda: len(loop_devices(self.cove)) == self.pool, "its device to go with it")


class Tmpfs(OnBackend, cove.Test):
    backend = "tmpfs"
    pool = 0

    def test_a_disk_larger_than_memory_is_refused_with_the_reason(self):
        self.check_refused(self.cove.run("--memory", "64M", "--disk", "65M", "--", "true"), 2, "disk lives in memory (backend tmpfs)")

    def test_the_default_is_half_of_the_memory(self):
        _, _, told = self.cove.receipt("--memory", "64M", "--", "true")
        self.assertEqual(told["receipt"]["limits"]["disk_bytes"], 32 * MI)


QUOTA = {"features": ("-O", "project,quota", "-E", "quotatype=prjquota"), "options": "loop,prjquota"}


def quota_works():
    host = HostFileSystem(**QUOTA)
    host.close()
    return not host.refusal


if quota_works():

    class Quota(OnTheHostsDisk, cove.Test):
        backend, pool = "quota", 0
        features, options = QUOTA["features"], QUOTA["options"]

        def test_what_a_sandbox_leaves_is_removed(self):
            self.ok("-c", "import os\nfor i in range(300): os.makedirs(f'd{i}/e/f'); os.symlink('/', f'd{i}/l')")
            cove.wait_until(lambda: not os.listdir(f"{self.cove.state}/disks"), "an empty directory of disks")

        def test_remains_of_a_killed_spawner_are_removed(self):
            child = self.begin("-c", "print('ready', flush=True)\ninput()")
            self.assertEqual(child.stdout.readline(), b"ready\n")
            os.makedirs(f"{self.cove.state}/disks/remains/deep")
            os.kill(self.cove.spawner_pid(), signal.SIGKILL)
            self.ok("--", "true")
            cove.wait_until(lambda: len(os.listdir(f"{self.cove.state}/disks")) == 1, "the living one's alone")
            child.communicate(b"\n", timeout=cove.PATIENCE)
            cove.wait_until(lambda: not os.listdir(f"{self.cove.state}/disks"), "and that, too, after its end")


class Choice(cove.Test):
    def try_with(self, config):
        path = f"{self.cove.state}/cove.conf"
        with open(path, "w", encoding="ascii") as file:
            file.write(config)
        os.chmod(path, 0o600)
        child = self.cove.try_spawner(arguments=("--config", path))
        status = self.cove.call("spawner", "status").stdout.decode()
        self.cove.stop_spawner()
        cove.wait_until(lambda: child.poll() is not None, "its end")
        return child.returncode, status, child.stderr.read().decode()

    def test_a_forced_backend_that_does_not_work_says_why_and_does_not_start(self):
        # The state directory of this class has no project quota, whatever the kernel can do.
        code, _, said = self.try_with("disk = quota\n")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"quota: (the kernel|project quota is off|the file system)")

    def test_auto_takes_the_first_that_works_and_tells_why_not_the_others(self):
        code, status, _ = self.try_with("disk = auto\ndisk_pool = 0\n")
        self.assertEqual(code, 0)
        self.assertRegex(status, r"disks: loop; .*quota: ")

    def test_the_pool_fills_by_itself_and_no_further(self):
        path = f"{self.cove.state}/cove.conf"
        with open(path, "w", encoding="ascii") as file:
            file.write("disk_size = 8M\ndisk_pool = 3\n")
        os.chmod(path, 0o600)
        self.cove.start_spawner(arguments=("--config", path))
        cove.wait_until(lambda: re.search(r"3 of 3 ready", self.cove.call("spawner", "status").stdout.decode()), "a full pool")
        self.assertEqual(len(loop_devices(self.cove)), 3)
        self.cove.stop_spawner()
        cove.wait_until(lambda: not loop_devices(self.cove), "no device after its end")


if __name__ == "__main__":
    cove.main()
