"""Contexts that are forks of a zygote: each is a process of its sandbox like every other, and a zygote reaches nothing else."""

import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import python_template
import spawner_wire
import visitor
from zygotes import Zygotes

# A generator that is seeded before the fork would say the same in every sibling.
SEEDED = """
import random, secrets, ssl, tempfile, uuid
import numpy
random.seed(1)
numpy.random.seed(1)
state = random.getstate()
ssl.RAND_bytes(8)
uuid.uuid1()
next(tempfile._get_candidate_names())
"""
DRAWN = """
import random, secrets, ssl, tempfile, uuid, numpy
print([random.random(), numpy.random.rand(), numpy.random.default_rng().random(), secrets.token_hex(8), str(uuid.uuid4()), str(uuid.uuid1()),
       ssl.RAND_bytes(8).hex(), next(tempfile._get_candidate_names()), random.SystemRandom().random()])
"""
UNSEEDED = "import random, seeded\nrandom.setstate(seeded.state)\nprint(random.random())"

# What init and the kernel say of a process, but for its number and its size.
ABOUT = """
import os, re
status = open('/proc/self/status').read()
for key in ('Umask', 'Uid', 'Gid', 'Groups', 'NoNewPrivs', 'Seccomp', 'Seccomp_filters', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'Threads', 'Cpus_allowed',
            'SigBlk', 'SigIgn', 'SigCgt', 'CoreDumping'):
    print(re.search(f'^{key}:.*', status, re.M)[0])
print(open('/proc/self/limits').read(), open('/proc/self/oom_score_adj').read())
print([os.readlink(f'/proc/self/ns/{name}') for name in sorted(os.listdir('/proc/self/ns')) if name != 'time_for_children'])
for number in sorted(os.listdir('/proc/self/fd')):
    try: print(number, os.readlink(f'/proc/self/fd/{number}').partition('[')[0])
    except FileNotFoundError: pass
print(os.getppid(), os.getsid(0) == os.getpid() == os.getpgid(0), os.getcwd(), dict(os.environ), os.path.exists('/dev/cove-enter.so'))
print(open('/proc/self/cgroup').read().count('0::/p'), open('/proc/sys/kernel/hostname').read() == open('/etc/hostname').read())
"""


class AContext(Zygotes):
    def test_is_what_init_would_have_started(self):
        for mode in ({}, {"root": True}):
            sandbox = self.visitor.sandbox(self.plain, **mode)
            entered = self.visitor.run(self.visitor.enter(sandbox), ABOUT)
            started = self.visitor.run(self.visitor.ask("start", sandbox=sandbox)["context"], ABOUT)
            self.assertEqual(entered["cause"], "ok", entered)
            if mode:  # less than what init starts there could ever have
                started["out"] = re.sub(r"CapBnd:\t\w+", "CapBnd:\t0000000000000000", started["out"])
            self.assertEqual(entered["out"], started["out"])
            self.assertIn("\n1 True /home/user", entered["out"])

    def test_keeps_its_state_and_shares_none(self):
        sandbox = self.visitor.sandbox(self.plain)
        one, other = self.visitor.enter(sandbox), self.visitor.enter(sandbox)
        self.visitor.run(one, "here = 1")
        self.assertEqual(self.visitor.run(one, "print(here)")["out"], "1\n")
        self.assertEqual(self.visitor.run(other, "print('here' in globals(), 'warm' in globals())")["out"], "False False\n")

    def test_changes_nothing_of_what_it_only_uses(self):
        """Each use of an object would be counted in it, and so copy its page; what cells make themselves is counted, and freed."""
        sandbox = self.visitor.sandbox(self.variant(["json", "decimal"]))
        context = self.visitor.enter(sandbox)
        counted = "import json, decimal, sys\nprint([sys.getrefcount(one) == sys.getrefcount(None) for one in (json.dumps, json.dumps.__code__, decimal.Decimal, {})])"
        self.assertEqual(self.visitor.run(context, counted)["out"], "[True, True, True, False]\n")
        freed = "import weakref\nclass Own: pass\nown = Own()\nseen = weakref.ref(own)\ndel own\nprint(seen())"
        self.assertEqual(self.visitor.run(context, freed)["out"], "None\n")

    def test_draws_numbers_of_its_own(self):
        template = self.variant(["numpy", "seeded"], seeded=SEEDED)
        drawn, unseeded = [], []
        for _ in range(2):
            sandbox = self.visitor.sandbox(template)
            for _ in range(2):
                context = self.visitor.enter(sandbox)
                drawn.append(eval(self.visitor.run(context, DRAWN)["out"]))
                unseeded.append(self.visitor.run(context, UNSEEDED)["out"])
        self.assertEqual(len(set(unseeded)), 1, "the zygote's own state is the same in all: without a new seed they would agree")
        for kind in zip(*drawn):
            self.assertEqual(len(set(kind)), 4, kind)

    def test_is_reaped_by_init_and_ends_with_its_sandbox(self):
        sandbox = self.visitor.sandbox(self.plain)
        context, witness = self.visitor.enter(sandbox), self.visitor.enter(sandbox)
        self.assertEqual(self.visitor.run(context, "import os; os._exit(3)")["cause"], "context_lost")
        count = "import os\nprint(sum(open(f'/proc/{p}/stat').read().rpartition(')')[2].split()[0] == 'Z' for p in os.listdir('/proc') if p.isdigit()))"
        self.assertEqual(self.visitor.run(witness, count)["out"], "0\n")
        self.visitor.ask("end", sandbox=sandbox)

    def test_counts_against_the_limit_of_processes(self):
        sandbox = self.visitor.sandbox(self.plain, pids=6)
        entered = 0
        with self.assertRaises(visitor.Refused) as refused:
            for _ in range(8):
                self.visitor.enter(sandbox)
                entered += 1
        # init, and these.
        self.assertEqual((entered, refused.exception.code), (5, "exhausted"), refused.exception)

    def test_is_started_cold_where_there_is_no_zygote(self):
        template = self.variant()
        os.unlink(f"{python_template.root_of(self.cove, template)}/usr/lib/cove/runtimes/python/zygote.py")
        sandbox = self.visitor.sandbox(template)
        self.assertEqual(self.visitor.run(self.visitor.enter(sandbox), "import os; print(os.getppid())")["out"], "1\n")
        with self.assertRaisesRegex(visitor.Refused, "has no zygote"):
            self.visitor.ask("warm", template=template)


class AZygote(Zygotes):
    def test_that_dies_is_replaced(self):
        template = self.variant()
        sandbox = self.visitor.sandbox(template)
        self.visitor.enter(sandbox)
        for zygote in self.zygotes():
            os.kill(zygote, signal.SIGKILL)
        self.assertEqual(self.visitor.run(self.visitor.enter(sandbox), "print(1)")["out"], "1\n")

    def test_names_the_package_that_it_cannot_import(self):
        template = self.variant(["json", "no_such_package"])
        with self.assertRaisesRegex(visitor.Refused, "no_such_package of .* cannot be imported: ModuleNotFoundError"):
            self.visitor.ask("warm", template=template)
        broken = self.variant(["broken"], broken="raise SystemExit('as some packages do')")
        sandbox = self.visitor.sandbox(broken)
        with self.assertRaisesRegex(visitor.Refused, "broken of .* SystemExit"):
            self.visitor.enter(sandbox)
        self.visitor.run(self.visitor.ask("start", sandbox=sandbox)["context"], "1")

    def test_leaves_nothing_that_its_forks_would_lack_or_share(self):
        for leaves, source in (("1 thread", "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()"),
                               ("memory that is shared", "import mmap\nkept = mmap.mmap(-1, 4096)"),
                               ("2 open descriptor", "import os\nkept = os.pipe()")):
            template = self.variant(["leaver"], leaver=source)
            with self.subTest(leaves), self.assertRaisesRegex(visitor.Refused, f"leaves {leaves}.* preload list"):
                self.visitor.ask("warm", template=template)
        # What is gone again after the import is no fault.
        clean = "import mmap, multiprocessing\nmmap.mmap(-1, 4096).close()\nmultiprocessing.Lock()\nopen('/tmp/cache', 'w').close()"
        self.visitor.ask("warm", template=self.variant(["clean"], clean=clean))

    def test_goes_with_its_template(self):
        template = self.variant()
        self.visitor.ask("warm", template=template)
        before = len(self.zygotes())
        self.assertGreater(before, 0)
        with self.cove.connect() as client:
            self.assertTrue(spawner_wire.ask(client, spawner_wire.retire(template)).ok)
        cove.wait_until(lambda: len(self.zygotes()) == before - 1, "the zygote's end")


class AfterTheSpawner(Zygotes):
    def test_contexts_live_on_and_the_zygote_does_not(self):
        sandbox = self.visitor.sandbox(self.plain)
        context = self.visitor.enter(sandbox)
        self.assertEqual(len(self.zygotes()), 1)
        cove.end(self.spawner)
        cove.wait_until(lambda: not self.zygotes(), "the zygote's end")
        self.assertEqual(self.visitor.run(context, "print(1)")["out"], "1\n")
        type(self).spawner = self.cove.start_spawner()
        self.visitor.ask("reconnect")
        cove.wait_until(lambda: len(self.cove.sandboxes()) == 1, "the zygote's group to be removed")
        # Nobody can enter a sandbox of an earlier nursery; another context is started cold.
        self.assertEqual(self.visitor.run(self.visitor.enter(sandbox), "print(2)")["out"], "2\n")
        self.assertEqual(self.zygotes(), [])
        self.assertEqual(self.visitor.run(self.visitor.enter(self.visitor.sandbox(self.plain)), "print(3)")["out"], "3\n")
        self.assertEqual(len(self.zygotes()), 1)


if __name__ == "__main__":
    cove.main()
