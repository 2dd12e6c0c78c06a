"""Memory, processes, output and disk: each limit has its own cause, and limits_hit tells it even when the run went well."""

import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import traces

CAP_SYS_RESOURCE = 24


class BeyondTheSandbox(cove.Test):
    """What reaches past a sandbox's own group cannot be turned back from inside, by root neither."""

    def test_the_host_outlives_a_sandbox_when_its_memory_ends(self):
        """The spawner's root sets the floor, which takes a capability that root of some containers lacks; then it is the host's own 0."""
        with open("/proc/self/status", encoding="ascii") as file:
            capabilities = next(int(line.split()[1], 16) for line in file if line.startswith("CapEff"))
        floor = 400 if capabilities >> CAP_SYS_RESOURCE & 1 else 0
        script = f"cat /proc/self/oom_score_adj; echo {floor - 1} > /proc/self/oom_score_adj && echo lowered; cat /proc/self/oom_score_adj"
        for options in ([], ["--root"]):
            done = self.cove.run(*options, "--", "sh", "-c", script)
            self.assertEqual(done.stdout, b"500\n500\n", done.stderr)

    def test_the_core_limit_that_keeps_the_hosts_handler_away_stays(self):
        code = "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nprint(resource.getrlimit(resource.RLIMIT_CORE))"
        for options in ([], ["--root"]):
            self.check_run(self.cove.run(*options, "-c", code), 0, b"(1, 1)\n")


class Memory(cove.Test):
    def out_of_memory(self, code, *options):
        done, output, told = self.cove.receipt("--memory", "128M", *options, "-c", code)
        self.check_run(done, 137)
        self.assertEqual(told["cause"], "out_of_memory", (output, done.stderr))
        self.assertIn("memory", told["receipt"]["limits_hit"])
        self.assertIn(b"out of memory (128.0 MiB)", done.stderr)
        return told

    def test_the_program_itself(self):
        told = self.out_of_memory("x = bytearray(10**9)")
        self.assertGreater(told["receipt"]["peak_memory_bytes"], 100 << 20)
        self.assertLessEqual(told["receipt"]["peak_memory_bytes"], 128 << 20)

    def test_little_by_little(self):
        self.out_of_memory("hoard = []\nwhile True: hoard.append(bytearray(1 << 20))")

    def test_a_child_while_the_parent_survives(self):
        code = "import os, time\nif os.fork() == 0:\n x = bytearray(10**9)\n os._exit(0)\nos.wait(); time.sleep(2); print('parent lives on')"
        for _ in range(8):
            self.out_of_memory(code)

    def test_a_grandchild_in_a_session_of_its_own(self):
        self.out_of_memory("import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'x = bytearray(10**9)'], start_new_session=True)\ntime.sleep(20)")

    def test_files_in_memory(self):
        fill = "import os\nfd = {}\nwhile True: os.write(fd, b'x' * (1 << 20))"
        self.out_of_memory(fill.format("os.memfd_create('m')"))
        self.out_of_memory("fds = []\nimport os\nfor n in range(2):\n f = os.open(f'/dev/shm/f{n}', os.O_CREAT | os.O_WRONLY)\n for i in range(30): os.write(f, b'x' * (1 << 20))\nx = bytearray(100 << 20)")

    def test_files_on_disk_are_no_memory(self):
        code = "import os\nf = os.open('/home/user/f', os.O_CREAT | os.O_WRONLY)\nfor i in range(300): os.write(f, b'x' * (1 << 20))\nx = bytearray(90 << 20)\nprint(os.fstat(f).st_size >> 20)"
        done, output, told = self.cove.receipt("--memory", "128M", "--disk", "400M", "-c", code)
        self.check_run(done, 0)
        self.assertEqual((output, told["cause"], told["receipt"]["limits_hit"]), (b"300", "ok", []))

    def test_pipes_and_sockets(self):
        code = ("import os, socket\nkeep = []\n"
                "while True:\n  a, b = socket.socketpair()\n  a.setblocking(False)\n  keep += [a, b]\n"
                "  try:\n    while True: a.send(b'x' * 65536)\n  except BlockingIOError: pass\n  keep.append(bytearray(1 << 16))\n")
        self.out_of_memory(code)

    def test_tcp_buffers(self):
        """They count, and nobody else's memory is taken: with cgroup v1 they are full long before the limit and senders wait; with v2
        they are memory like any other."""
        code = ("import socket\nkeep, held = [], 0\nserver = socket.create_server(('127.0.0.1', 0))\n"
                "for _ in range(100):\n  a = socket.create_connection(server.getsockname())\n  keep += [a, server.accept()[0]]\n  a.setblocking(False)\n"
                "  try:\n    while True: held += a.send(b'x' * (1 << 20))\n  except BlockingIOError: pass\nprint(held)")
        done = self.cove.run("--memory", "64M", "--disk", "16M", "-c", code)
        if traces.is_unified() and done.returncode == 137:
            self.assertIn(b"out of memory", done.stderr)
            return
        self.check_run(done, 0)
        self.assertLess(int(done.stdout), 64 << 20)

    def pid1_of(self, run):
        """The host's number of a sandbox's pid 1, once the program in it says that it is ready."""
        self.assertEqual(run.stdout.readline(), b"ready\n")
        insides = {pid for top in traces.hierarchies() for name in self.cove.sandboxes()
                   for pid in traces.read(f"{top}/{self.cove.tag}/{name}/cgroup.procs").split()}
        firsts = [int(pid) for pid in insides if re.search(r"^NSpid:.*\t1$", traces.read(f"/proc/{pid}/status"), re.MULTILINE)]
        self.assertEqual(len(firsts), 1, firsts)
        return firsts[0]

    def end_of(self, run):
        output, errors = run.communicate(b"go\n", timeout=cove.PATIENCE)
        told = json.loads(output.splitlines()[-1])
        self.assertNotIn(told["receipt"]["sandbox"], self.cove.sandboxes())
        return told, errors

    def check_files_unknown(self, told):
        """Nobody could look any more: that is not to say that nothing has changed."""
        files = told["receipt"]["files"]
        self.assertEqual((files["unknown"], files["created"], files["removed"]), (True, [], []))
        self.assertIn("sandbox", files["why"])

    def test_of_which_the_sandboxs_own_pid_1_is_the_victim(self):
        """Files in memory make nobody large: the kernel goes by the score alone."""
        code = "import os\nprint('ready', flush=True)\ninput()\nm = os.memfd_create('m')\nwhile True: os.write(m, b'x' * (1 << 20))"
        for _ in range(5):
            run = self.cove.start("run", "--json", "--memory", "128M", "-c", code)
            with open(f"/proc/{self.pid1_of(run)}/oom_score_adj", "w", encoding="ascii") as file:
                file.write("1000")
            told, errors = self.end_of(run)
            self.assertEqual((told["cause"], told["receipt"]["limits_hit"], run.returncode), ("out_of_memory", ["memory"], 137), errors)
            self.assertIn(b"out of memory (128.0 MiB)", errors)
            self.check_files_unknown(told)

    def test_a_pid_1_that_was_killed_otherwise_is_no_want_of_memory(self):
        for _ in range(5):
            run = self.cove.start("run", "--json", "-c", "print('ready', flush=True)\nimport time\ntime.sleep(60)")
            os.kill(self.pid1_of(run), signal.SIGKILL)
            told, errors = self.end_of(run)
            self.assertEqual((told["cause"], told["receipt"]["limits_hit"], run.returncode), ("sandbox_ended", [], 125), errors)
            self.check_files_unknown(told)

    def test_dev_shm_is_half_of_the_memory(self):
        done = self.cove.run("--memory", "128M", "-c", "import os\ns = os.statvfs('/dev/shm')\nprint(s.f_blocks * s.f_frsize)")
        self.check_run(done, 0, f"{64 << 20}\n".encode())

    def test_just_enough_is_ok(self):
        done, _, told = self.cove.receipt("--memory", "128M", "-c", "x = bytearray(90 << 20); print(len(x))")
        self.check_run(done, 0)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("ok", []))

    def test_a_neighbour_notices_nothing(self):
        neighbour = self.cove.start("run", "-c", "import sys\nx = bytearray(50 << 20)\nprint('ready')\nsys.stdin.read()\nprint(len(x))")
        self.assertEqual(neighbour.stdout.readline(), b"ready\n")
        for _ in range(3):
            self.out_of_memory("x = bytearray(10**9)")
        self.assertEqual(neighbour.communicate(timeout=cove.PATIENCE)[0], f"{50 << 20}\n".encode())
        self.assertEqual(neighbour.returncode, 0)


class Processes(cove.Test):
    def test_a_fork_bomb(self):
        done, _, told = self.cove.receipt("--timeout", "5s", "--pids", "64", "--", "bash", "-c", ":(){ :|:& };:; wait; sleep 1; exit 1")
        self.assertIn("pids", told["receipt"]["limits_hit"], (told, done.stderr[-200:]))
        self.assertIn(told["cause"], ("pids_limit", "timeout", "error"))
        self.assertEqual(self.cove.traces()["processes"], set())

    def test_a_program_that_fails_for_it(self):
        code = "import os, time\nfor _ in range(200):\n if os.fork() == 0: time.sleep(60)\n"
        done, _, told = self.cove.receipt("--pids", "32", "-c", code)
        self.check_run(done, 1)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("pids_limit", ["pids"]))
        self.assertIn(b"the limit of 32 processes was reached", done.stderr)

    def test_one_that_copes_is_ok_and_it_is_told(self):
        code = "import os, time\ntry:\n for _ in range(200):\n  if os.fork() == 0: time.sleep(60)\nexcept BlockingIOError: print('enough')"
        done, output, told = self.cove.receipt("--pids", "32", "-c", code)
        self.check_run(done, 0)
        self.assertEqual((output, told["cause"], told["receipt"]["limits_hit"]), (b"enough", "ok", ["pids"]))

    def test_threads_count(self):
        code = "import threading, time\nfor n in range(300): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
        done, _, told = self.cove.receipt("--pids", "64", "-c", code)
        self.assertEqual(told["cause"], "pids_limit", done.stderr)

    def test_as_many_as_allowed(self):
        # init is one of them.
        code = "import os, time\npids = [os.fork() or time.sleep(60) for _ in range(29)]\nprint(len(pids))\nfor p in pids: os.kill(p, 9)"
        done, output, told = self.cove.receipt("--pids", "32", "-c", code)
        self.check_run(done, 0)
        self.assertEqual((output, told["receipt"]["limits_hit"]), (b"29", []))


class Output(cove.Test):
    def test_a_flood_is_cut_and_counted(self):
        done, output, told = self.cove.receipt("--output", "1M", "-c", "import sys\nfor i in range(50): sys.stdout.write('x' * 100_000)\nfor i in range(30): sys.stderr.write('y' * 100_000)")
        self.check_run(done, 0)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("ok", ["output"]))
        self.assertEqual(told["receipt"]["output"], {"stdout_bytes": 5_000_000, "stderr_bytes": 3_000_000, "dropped_bytes": 8_000_000 - (1 << 20)})
        self.assertEqual(len(output) + done.stderr.count(b"y") - done.stderr.partition(b"cove:")[2].count(b"y"), 1 << 20)
        self.assertIn(b"output limit of 1.0 MiB reached: 6951424 more bytes were dropped", done.stderr)

    def test_exactly_at_the_limit(self):
        for size, dropped in ((1000, 0), (1001, 1)):
            done, output, told = self.cove.receipt("--output", "1000", "-c", f"print('x' * {size}, end='')")
            self.check_run(done, 0)
            self.assertEqual((len(output), told["receipt"]["output"]["dropped_bytes"]), (1000, dropped))
            self.assertEqual(told["receipt"]["limits_hit"], ["output"] if dropped else [])

    def test_an_endless_one_ends_with_its_time(self):
        done, output, told = self.cove.receipt("--timeout", "2s", "--output", "1M", "--", "yes")
        self.check_run(done, 124)
        self.assertEqual((told["cause"], sorted(told["receipt"]["limits_hit"])), ("timeout", ["output", "time"]))
        self.assertEqual(len(output), (1 << 20) - 1 if output.endswith(b"y") else len(output))
        self.assertGreater(told["receipt"]["output"]["dropped_bytes"], 1 << 20)

    def peak_of_cove(self, output, *program):
        """Kilobytes that `cove run` itself had in memory at its worst."""
        child = self.cove.start("run", "--output", output, "--", *program, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss

    def test_what_is_dropped_costs_no_memory(self):
        quiet = self.peak_of_cove("1M", "true")
        for flood in ("yes | head -c 200M", "head -c 200M /dev/zero | tr '\\0' x", "head -c 200M /dev/zero >&2", "head -c 200M /dev/urandom"):
            for output in ("1M", "1G"):
                self.assertLess(self.peak_of_cove(output, "sh", "-c", flood), quiet + (16 << 10), (flood, output))

    def test_none_at_all(self):
        done, output, told = self.cove.receipt("--output", "0", "-c", "print('hello')")
        self.check_run(done, 0)
        self.assertEqual((output, told["receipt"]["output"]["dropped_bytes"]), (b"", 6))


class Disk(cove.Test):
    FILL = "import os\nf = open('/home/user/fill', 'wb', buffering=0)\nwhile True: f.write(b'x' * 65536)"

    def test_a_full_disk(self):
        done, _, told = self.cove.receipt("--disk", "20M", "-c", self.FILL)
        self.check_run(done, 1)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("disk_full", ["disk"]))
        self.assertIn(b"No space left on device", done.stderr)
        self.assertIn(b"the disk is full (20.0 MiB)", done.stderr)

    def test_one_who_copes(self):
        code = "try:\n " + self.FILL.replace("\n", "\n ") + "\nexcept OSError as e: print(e.errno)"
        done, output, told = self.cove.receipt("--disk", "20M", "-c", code)
        self.check_run(done, 0)
        self.assertEqual((output, told["cause"], told["receipt"]["limits_hit"]), (b"28", "ok", ["disk"]))

    def test_filled_and_emptied_again(self):
        code = "import os\ntry:\n " + self.FILL.replace("\n", "\n ") + "\nexcept OSError: os.unlink('/home/user/fill')\nopen('/home/user/small', 'w').write('fits')"
        done, _, told = self.cove.receipt("--disk", "20M", "-c", code)
        self.check_run(done, 0)
        self.assertEqual((told["cause"], told["receipt"]["limits_hit"]), ("ok", []))

    def test_everywhere_in_the_sandbox(self):
        for place in ("/tmp", "/var/tmp", "/home/user"):
            done, _, told = self.cove.receipt("--disk", "10M", "-c", self.FILL.replace("/home/user", place))
            self.assertEqual(told["cause"], "disk_full", (place, done.stderr))

    def test_inodes(self):
        code = "import os\nos.chdir('/tmp')\nn = 0\ntry:\n while True:\n  os.close(os.open(str(n), os.O_CREAT | os.O_WRONLY)); n += 1\nexcept OSError as e: print(n, e.errno)\nraise SystemExit(1)"
        done, output, told = self.cove.receipt("--disk", "20M", "-c", code)
        count, error = map(int, output.split())
        self.assertEqual((error, told["cause"], told["receipt"]["limits_hit"]), (28, "disk_full", ["disk"]), done.stderr)
        self.assertGreater(count, 2000)
        self.assertLess(count, 6000)

    def test_a_sparse_file_is_not_full(self):
        done, _, told = self.cove.receipt("--disk", "20M", "-c", "f = open('/tmp/s', 'wb'); f.truncate(10**9); f.seek(10**9 - 1); f.write(b'x'); print(f.tell())")
        self.check_run(done, 0)
        self.assertEqual(told["receipt"]["limits_hit"], [])


if __name__ == "__main__":
    cove.main()
