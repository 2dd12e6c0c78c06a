"""cove serve: what it starts, as whom, what it does when that ends, and what is left when it is told to stop.

The server is a stand-in that tells how it was started; the supervisor, the spawner and the sandboxes are real.
"""

import json
import os
import pwd
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove

NOBODY = pwd.getpwnam("nobody")

# Listens where it is told, and answers each connection with what it knows of itself.
STAND_IN = r'''#!/usr/bin/python3 -IB
import json, os, signal, socket, sys, threading

options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
settings = os.pread(int(options["--settings-fd"]), 1 << 20, 0).decode()
values = dict(line.split(" = ", 1) for line in settings.splitlines())
if "fail" in values.get("allowed_hosts", ""):
    sys.exit(int(values["allowed_hosts"].removeprefix("fail")))
address = values["listen"]
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
about = {"arguments": sys.argv[1:], "settings": values, "environment": dict(os.environ), "fds": sorted(os.listdir("/proc/self/fd")), "pid": os.getpid(),
         "session": os.getsid(0), "directory": os.getcwd(), "umask": os.umask(0o077), "status": status}
about["files"] = {key: open(values[key]).read() for key in ("tls_certificate", "tls_key") if key in values}
if address.startswith("unix:"):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address[5:])
    os.chmod(address[5:], 0o666)
else:
    listener = socket.create_server(("127.0.0.1", int(address.rpartition(":")[2])))
    address = "127.0.0.1:%d" % listener.getsockname()[1]
listener.listen()
print(json.dumps({"event": "stand_in", "address": address}), flush=True)

def leave(*_):
    if address.startswith("unix:"):
        os.unlink(address[5:])
    os._exit(0)

def watch_life():
    os.read(int(options["--life-fd"]), 1)
    leave()

signal.signal(signal.SIGTERM, signal.SIG_IGN if "stubborn" in values.get("allowed_hosts", "") else leave)
threading.Thread(target=watch_life, daemon=True).start()
os.write(int(options["--ready-fd"]), address.encode() + b"\n")
os.close(int(options["--ready-fd"]))
while True:
    client, _ = listener.accept()
    client.sendall(json.dumps(about).encode())
    client.close()
'''


class Serving:
    """One `cove serve`: its lines on stdout, its log, and its end."""

    def __init__(self, instance, program, *arguments, listen="127.0.0.1:0", user="nobody"):
        self.log = tempfile.TemporaryFile()
        self.child = instance.start("serve", "--listen", listen, "--set", f"server_user={user}", "--server-program", program, *arguments,
                                    stdin=subprocess.DEVNULL, stderr=self.log)

    def ready(self):
        """Waits until it says where it serves."""
        line = self.child.stdout.readline().decode()
        found = re.fullmatch(r"Cove serves (\S+) \(state (\S+)\)\n", line)
        if not found:
            raise AssertionError(f"said {line!r}, logged {self.lines()!r}")
        return found[1]

    def lines(self):
        self.log.seek(0)
        return self.log.read().decode().splitlines()

    def events(self, name):
        return [entry for entry in map(json.loads, (line for line in self.lines() if line.startswith("{"))) if entry["event"] == name]

    def stop(self, number=signal.SIGTERM):
        self.child.send_signal(number)
        return self.child.wait(cove.PATIENCE)


def ask(address):
    """What the stand-in tells of itself."""
    if address.startswith("unix:"):
        client = socket.socket(socket.AF_UNIX)
        client.connect(address[5:])
    else:
        host, _, port = address.removeprefix("http://").removeprefix("https://").rpartition(":")
        client = socket.create_connection((host, int(port)), timeout=cove.PATIENCE)
    with client, client.makefile("rb") as stream:
        return json.load(stream)


def is_alive(pid):
    return os.path.exists(f"/proc/{pid}") and not cove.is_zombie(pid)


class Serve(cove.Test):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        os.chmod(cls.folder.name, 0o755)
        cls.program = os.path.join(cls.folder.name, "stand-in")
        with open(cls.program, "w", encoding="ascii") as file:
            file.write(STAND_IN)
        os.chmod(cls.program, 0o755)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def serve(self, *arguments, instance=None, **options):
        serving = Serving(instance or self.cove, self.program, *arguments, **options)
        self.addCleanup(serving.log.close)
        self.addCleanup(lambda: serving.child.poll() is not None or serving.stop())
        return serving

    def test_the_server_has_no_privilege(self):
        serving = self.serve()
        about = ask(serving.ready())
        status = about["status"]
        self.assertEqual(status["Uid"].split(), [str(NOBODY.pw_uid)] * 4)
        self.assertEqual(status["Gid"].split(), [str(NOBODY.pw_gid)] * 4)
        self.assertEqual(status["Groups"].split(), [])
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[kind], 16), 0, kind)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(about["umask"], 0o077)
        self.assertEqual(about["session"], about["pid"])
        self.assertEqual(about["directory"], "/")
        self.assertEqual(serving.stop(), 0)

    def test_it_inherits_what_it_needs_and_nothing_else(self):
        os.environ["COVE_TEST_SECRET"] = "not for the server"
        self.addCleanup(os.environ.pop, "COVE_TEST_SECRET")
        serving = self.serve("--set", "max_ttl=2d")
        about = ask(serving.ready())
        self.assertEqual(about["arguments"], ["--state", self.cove.state, "--settings-fd", "3", "--ready-fd", "4", "--life-fd", "5"])
        self.assertEqual(about["settings"]["max_ttl"], "2d")
        self.assertLessEqual({name for name in about["environment"]}, {"PATH", "LANG", "LC_CTYPE"})
        # Its listing of them is one, and the interpreter's script may be one more.
        self.assertEqual([int(fd) for fd in about["fds"]][:7], list(range(7)))
        self.assertLessEqual(len(about["fds"]), 9)

    def test_tls_files_stay_roots_own(self):
        paths = []
        for name in ("certificate", "key"):
            paths.append(os.path.join(self.cove.state, name))
            with open(paths[-1], "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(f"the {name}")
        serving = self.serve("--set", f"tls_certificate={paths[0]}", "--set", f"tls_key={paths[1]}")
        address = serving.ready()
        self.assertTrue(address.startswith("https://"), address)
        self.assertEqual(ask(address)["files"], {"tls_certificate": "the certificate", "tls_key": "the key"})

    def test_a_unix_socket_that_others_find(self):
        path = f"{self.cove.run_directory}/server/api.sock"
        serving = self.serve(listen=f"unix:{path}")
        self.assertEqual(serving.ready(), f"unix:{path}")
        asked = subprocess.run(["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "python3", "-c",
                                f"import socket; s = socket.socket(socket.AF_UNIX); s.connect('{path}'); print(len(s.recv(100)))"],
                               capture_output=True, check=False)
        self.check_run(asked, 0, b"100\n")
        self.assertEqual(serving.stop(), 0)
        self.assertFalse(os.path.exists(path))

    def test_directories_are_whose_they_should_be(self):
        serving = self.serve()
        serving.ready()
        child = self.cove.start("run", "--", "sh", "-c", "echo ready; cat")
        self.assertEqual(child.stdout.readline(), b"ready\n")

        def mode_of(path):
            status = os.stat(path)
            return status.st_uid, stat.S_IMODE(status.st_mode)
        self.assertEqual(mode_of(f"{self.cove.state}/server"), (NOBODY.pw_uid, 0o700))
        self.assertEqual(mode_of(f"{self.cove.state}/templates"), (0, 0o700))
        self.assertEqual(mode_of(f"{self.cove.state}/catalogue/templates.json"), (0, 0o644))
        self.assertEqual(mode_of(self.cove.socket), (NOBODY.pw_uid, 0o600))
        sockets = [entry.path for entry in os.scandir(f"{self.cove.run_directory}/sandboxes") if entry.name.endswith((".sock", ".ahead"))]
        self.assertTrue(sockets)
        for path in sockets:
            self.assertEqual(mode_of(path), (NOBODY.pw_uid, 0o600))
        child.stdin.close()
        self.assertEqual(child.wait(cove.PATIENCE), 0)

    def test_the_spawner_answers_the_server_and_root_and_nobody_else(self):
        serving = self.serve()
        serving.ready()
        connect = f"import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect('{self.cove.socket}')"
        for uid, code in ((NOBODY.pw_uid, 0), (0, 0), (65532, 1)):
            done = subprocess.run(["setpriv", f"--reuid={uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups", "python3", "-c", connect],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, code, (uid, done.stderr))

    def test_the_catalogue_tells_the_templates(self):
        serving = self.serve()
        serving.ready()
        with open(f"{self.cove.state}/catalogue/templates.json", encoding="ascii") as file:
            catalogue = json.load(file)
        [base] = catalogue["templates"]
        self.assertEqual((base["names"], base["digest"]), (["base"], self.cove.digest()))
        languages = {runtime["language"]: runtime["version"] for runtime in base["runtimes"]}
        self.assertEqual(set(languages), {"python", "javascript", "typescript", "bash"})
        self.assertRegex(languages["python"], r"^3\.\d+$")

    def test_a_killed_server_is_started_again(self):
        serving = self.serve()
        first = ask(serving.ready())["pid"]
        os.kill(first, signal.SIGKILL)
        second = ask(serving.ready())["pid"]
        self.assertNotEqual(first, second)
        [event] = serving.events("server_ended")
        self.assertEqual(event["error"], "signal 9")
        self.assertEqual(event["level"], "error")

    def test_a_killed_spawner_is_started_again_and_sandboxes_go_on(self):
        serving = self.serve()
        serving.ready()
        child = self.cove.start("run", "--", "sh", "-c", "echo ready; cat; exit 5")
        self.assertEqual(child.stdout.readline(), b"ready\n")
        first = self.cove.spawner_pid()
        os.kill(first, signal.SIGKILL)
        cove.wait_until(lambda: self.cove.spawner_pid() not in (None, first), "another spawner")
        self.assertEqual(child.communicate(b"still here\n", timeout=cove.PATIENCE)[0], b"still here\n")
        self.assertEqual(child.returncode, 5)
        self.assertEqual(len(serving.events("spawner_ended")), 1)

    def test_it_takes_the_place_of_a_spawner_that_runs_already(self):
        self.check_run(self.cove.run("--", "true"), 0)
        first = self.cove.spawner_pid()
        serving = self.serve()
        serving.ready()
        self.assertNotIn(self.cove.spawner_pid(), (None, first))
        self.check_run(self.cove.run("--", "true"), 0)

    def test_an_interrupt_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            serving = self.serve()
            server = ask(serving.ready())["pid"]
            spawner = self.cove.spawner_pid()
            self.check_run(self.cove.run("--", "true"), 0)
            self.assertEqual(serving.stop(number), 0)
            self.assertFalse(is_alive(server))
            self.assertFalse(is_alive(spawner))
            self.assertEqual(self.cove.sandboxes(), [])
            self.assertEqual([event["event"] for event in map(json.loads, serving.lines())][-2:], ["stopping", "stopped"])

    def test_a_hangup_means_nothing(self):
        serving = self.serve()
        address = serving.ready()
        serving.child.send_signal(signal.SIGHUP)
        ask(address)
        self.assertIsNone(serving.child.poll())

    def test_a_stubborn_server_is_killed_at_the_second_signal(self):
        serving = self.serve("--set", "allowed_hosts=stubborn")
        server = ask(serving.ready())["pid"]
        serving.child.send_signal(signal.SIGTERM)
        cove.wait_until(lambda: serving.events("stopping"), "it to begin to stop")
        self.assertTrue(is_alive(server))
        self.assertEqual(serving.stop(), 0)
        self.assertFalse(is_alive(server))
        self.assertEqual(serving.events("killed")[0]["program"], "server")

    def test_one_per_state_directory(self):
        serving = self.serve()
        serving.ready()
        second = self.serve()
        self.assertEqual(second.child.wait(cove.PATIENCE), 125)
        self.assertIn(f"another `cove serve` (pid {serving.child.pid}) serves {self.cove.state}", second.lines()[-1])
        ask_again = self.cove.run("--", "true")
        self.check_run(ask_again, 0)

    def test_two_state_directories_are_two_instances(self):
        other = cove.Instance()
        try:
            one, two = self.serve(), self.serve(instance=other)
            self.assertNotEqual(one.ready(), two.ready())
            self.assertNotEqual(self.cove.spawner_pid(), other.spawner_pid())
            self.assertEqual(one.stop(), 0)
            self.check_run(other.run("--", "true"), 0)
            self.assertEqual(two.stop(), 0)
        finally:
            self.assertEqual(other.close(), [])

    def test_when_it_is_killed_the_server_ends_and_the_next_one_takes_over(self):
        serving = self.serve()
        server = ask(serving.ready())["pid"]
        spawner = self.cove.spawner_pid()
        self.assertEqual(serving.stop(signal.SIGKILL), -signal.SIGKILL)
        following = self.serve()
        following.ready()
        self.assertFalse(is_alive(server))
        cove.wait_until(lambda: not is_alive(spawner), "the end of the spawner before")

    def test_a_server_that_does_not_start(self):
        for code in (1, 3):
            serving = self.serve("--set", f"allowed_hosts=fail{code}")
            self.assertEqual(serving.child.wait(cove.PATIENCE), 125)
            self.assertIn(f"the server does not start (exit code {code})", serving.lines()[-1])
            self.assertIsNone(self.cove.spawner_pid())

    def test_a_program_that_is_not_there(self):
        done = self.cove.call("serve", "--listen", "127.0.0.1:0", "--set", "server_user=nobody", "--server-program", "/no/such/server")
        self.check_run(done, 125, b"")
        self.assertIn(b"execve(/no/such/server): No such file or directory", done.stderr)
        self.assertIsNone(self.cove.spawner_pid())

    def test_wrong_words(self):
        cases = {("--set", "max_tll=1d"): "did you mean 'max_ttl'?", ("--listen", "nowhere"): "no address to listen on", ("--set", "x"): "expected 'key = value'",
                 ("--listen", "0.0.0.0:7717"): "insecure_listen", ("--set", "server_user=root"): "cannot be root",
                 ("--set", "tls_key=/x"): "given together"}
        for words, said in cases.items():
            with self.subTest(words=words):
                self.check_refused(self.cove.call("serve", *words), 2, said)
        self.check_run(self.cove.call("serve", "--nonsense"), 2, b"")
        self.assertIsNone(self.cove.spawner_pid())

    def test_the_server_user_is_made_when_missing(self):
        name = f"cove-test-{os.getpid()}"
        other = cove.Instance()
        try:
            serving = self.serve(instance=other, user=name)
            about = ask(serving.ready())
            made = pwd.getpwnam(name)
            self.assertEqual(about["status"]["Uid"].split()[0], str(made.pw_uid))
            self.assertTrue(made.pw_shell.endswith("nologin"))
            self.assertLess(made.pw_uid, 1000)
            self.assertEqual(serving.stop(), 0)
        finally:
            subprocess.run(["userdel", name], capture_output=True, check=False)
            self.assertEqual(other.close(), [])

    def test_a_state_that_the_server_cannot_reach(self):
        with tempfile.TemporaryDirectory() as closed:
            state = os.path.join(closed, "state")
            done = subprocess.run([cove.program("cove"), "serve", "--state", state, "--listen", "127.0.0.1:0", "--set", "server_user=nobody"],
                                  capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=cove.PATIENCE)
            self.check_refused(done, 125, "user nobody cannot reach", "chmod o+x")
        subprocess.run(["rm", "-rf", f"/run/{cove.tag_of(state)}"], check=True)


if __name__ == "__main__":
    cove.main()
