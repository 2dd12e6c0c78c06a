"""Runtimes and tools see the CPUs and the memory of their sandbox, whatever the machine has."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))

import cove
import run_twins


# --cpus, --memory, and what they come to: CPUs, MiB.
SIZES = (("0.5", "256M", 1, 256), ("2", "1G", 2, 1024))

PYTHON = """
import json, os
known = {"os.cpu_count": os.cpu_count(), "online": os.sysconf("SC_NPROCESSORS_ONLN"), "affinity": len(os.sched_getaffinity(0))}
if hasattr(os, "process_cpu_count"): known["process_cpu_count"] = os.process_cpu_count()
known["cpuinfo"] = open("/proc/cpuinfo").read().count("processor\\t:")
known["stat"] = sum(line[:3] == "cpu" and line[3].isdigit() for line in open("/proc/stat"))
print(json.dumps(known))
"""

SHELL = """
echo nproc $(nproc); echo getconf $(getconf _NPROCESSORS_ONLN)
echo lscpu $(lscpu | sed -n 's/^CPU(s): *//p'); echo free $(free -m | awk '/Mem:/ { print $2 }')
echo swap $(free -m | awk '/Swap:/ { print $2 }'); echo top $(top -b -n1 | awk '/MiB Mem/ { print int($4) }')
"""

OPENMP = """
cat > /tmp/o.c <<'END'
#include <omp.h>
#include <stdio.h>
int main(void) { int n = 0;
#pragma omp parallel reduction(+ : n)
  n += 1;
  printf("%d %d %d\\n", omp_get_num_procs(), omp_get_max_threads(), n); }
END
gcc -fopenmp -o /tmp/o /tmp/o.c && OMP_PROC_BIND=true /tmp/o
"""

NODE = """
const os = require("os");
console.log(JSON.stringify([os.cpus().length, os.availableParallelism(), os.totalmem() / 2 ** 20, os.freemem() / 2 ** 20,
                            require('v8').getHeapStatistics().heap_size_limit / 2 ** 20]));
"""

JAVA = """
cat > /tmp/A.java <<'END'
public class A {
  public static void main(String[] a) {
    Runtime r = Runtime.getRuntime();
    System.out.println(r.availableProcessors() + " " + (r.maxMemory() >> 20));
  }
}
END
java /tmp/A.java
"""

GO = """
mkdir /tmp/g && cd /tmp/g && cat > main.go <<'END'
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

func main() { fmt.Println(runtime.NumCPU(), runtime.GOMAXPROCS(0), debug.SetMemoryLimit(-1)) }
END
export GOCACHE=/tmp/g/cache GO111MODULE=off GOTOOLCHAIN=local
go build -o /tmp/g/program main.go && /tmp/g/program
"""


class SeeLimits(cove.Test):
    """At two sizes, in the sandbox of an ordinary user."""

    templates = ("base", "compat")

    @classmethod
    def setUpClass(cls):
        run_twins.build_template()
        super().setUpClass()

    def see(self, size, *arguments, template="base"):
        cpus, memory = size[:2]
        done = self.cove.run("--template", template, "--cpus", cpus, "--memory", memory, "--timeout", "5m", *arguments, timeout=400)
        self.check_run(done, 0)
        return done.stdout.decode()

    def check_python(self, size, *options):
        known = json.loads(self.see(size, *options, "-c", PYTHON))
        self.assertEqual(set(known.values()), {size[2]}, known)

    def test_python(self):
        for size in SIZES:
            self.check_python(size)

    def test_shell_tools(self):
        for size in SIZES:
            told = dict(line.split() for line in self.see(size, "--", "sh", "-c", SHELL).splitlines())
            cpus, memory = str(size[2]), str(size[3])
            self.assertEqual(told, {"nproc": cpus, "getconf": cpus, "lscpu": cpus, "free": memory, "swap": "0", "top": memory})

    def test_openmp(self):
        for size in SIZES:
            self.assertEqual(self.see(size, "--", "sh", "-c", OPENMP).split(), [str(size[2])] * 3)

    def test_node(self):
        for size in SIZES:
            *seen, heap = json.loads(self.see(size, "--language", "js", "-c", NODE))
            self.assertEqual(seen, [size[2], size[2], size[3], size[3]])
            self.assertGreaterEqual(heap, size[3] * 0.45)
            self.assertLess(heap, size[3] * 0.75)

    def test_jvm(self):
        for size in SIZES:
            cpus, heap = map(int, self.see(size, "--", "sh", "-c", JAVA, template="compat").split())
            self.assertEqual(cpus, size[2])
            self.assertGreaterEqual(heap, size[3] * 0.45)
            self.assertLessEqual(heap, size[3] * 0.5)

    def test_go(self):
        for size in SIZES:
            cpus, processors, limit = map(int, self.see(size, "--disk", "128M", "--", "sh", "-c", GO, template="compat").split())
            self.assertEqual((cpus, processors), (size[2], size[2]))
            self.assertAlmostEqual(limit / (size[3] << 20), 0.9, places=3)

    def test_what_the_caller_says_wins(self):
        seen = self.see(SIZES[0], "--env", "GOMEMLIMIT=77", "--env", "JAVA_TOOL_OPTIONS=-Dx=y", "--env", "NODE_OPTIONS=", "--",
                        "sh", "-c", "echo $GOMEMLIMIT $JAVA_TOOL_OPTIONS $NODE_OPTIONS")
        self.assertEqual(seen, "77 -Dx=y\n")

    def test_beside_another_sandbox(self):
        """On a CPU whose number is not 0: all of them still count one, and speak of the same one."""
        first = self.cove.start("run", "--", "sh", "-c", "taskset -pc $$; read line")
        taken = first.stdout.readline().split()[-1]
        seen = self.see(SIZES[0], "--", "sh", "-c", "taskset -pc $$ | sed 's/.* //'; cat /sys/devices/system/cpu/online; sed -n 's/^processor.*: //p' /proc/cpuinfo")
        own = set(seen.split())
        self.assertEqual(len(own), 1, seen)
        self.assertNotEqual(own, {taken.decode()})
        self.check_python(SIZES[0])
        self.assertEqual(self.see(SIZES[0], "--", "sh", "-c", OPENMP).split(), ["1"] * 3)
        cpus = json.loads(self.see(SIZES[0], "--language", "js", "-c", NODE))[:2]
        self.assertEqual(cpus, [1, 1])
        self.assertEqual(self.see(SIZES[0], "--", "sh", "-c", JAVA, template="compat").split()[0], "1")
        # A spawner that takes over reads back where the living are.
        self.cove.stop_spawner()
        again = self.see(SIZES[0], "--", "sh", "-c", "taskset -pc $$ | sed 's/.* //'").strip()
        self.assertNotEqual(again, taken.decode())
        first.communicate(b"\n", timeout=cove.PATIENCE)

    def test_more_cpus_than_there_are(self):
        done = self.cove.run("--cpus", str(os.cpu_count() + 1), "--", "true")
        self.check_refused(done, 2, "more than this host has")

    def test_tools_that_look_at_the_machine(self):
        for tool in ("free", "uptime", "w", "lscpu", "ps aux", "top -b -n2 -d0.1", "nproc --all", "cat /proc/cpuinfo /proc/stat"):
            done = self.cove.run("--", "sh", "-c", tool)
            self.check_run(done, 0, stderr=b"")
            self.assertTrue(done.stdout, tool)

    def test_start_times_are_true(self):
        seen = self.see(SIZES[0], "--", "sh", "-c", 'date -d "$(ps -o lstart= -p $$)" +%s; date +%s; ps -o etimes= -p $$')
        started, now, elapsed = map(int, seen.split())
        self.assertLess(abs(now - started), 60)
        self.assertLess(elapsed, 60)


if __name__ == "__main__":
    cove.main()
