"""Sandboxes that wait ready with a context in them: handed out, the context is what it would have been, only sooner."""

import glob
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import spawner_wire
import traces
import visitor
from zygote import ABOUT, DRAWN
from zygotes import Zygotes


READY = 4


class APool(Zygotes):
    config = f"ready = {READY}\n"

    def furnished(self, **more):
        return self.visitor.sandbox(self.plain, furnished=True, **more)

    def contexts(self):
        """Those that wait: pids as the host sees them. One that is just born is in its zygote's group still."""
        ahead = traces.made_ahead(self.cove.run_directory) - self.groups_of(self.zygotes())
        return [int(path.removeprefix("/proc/")) for path in glob.glob("/proc/[0-9]*")
                if traces.group_of(path, self.cove.tag) in ahead and traces.read(f"{path}/comm").startswith("python") and traces.is_in_pid_namespace(path)]

    def warm_up(self):
        """Asked for twice, a kind is made ahead, until there is no room for more."""
        for _ in range(2):
            self.visitor.ask("end", sandbox=self.furnished())
        cove.wait_until(lambda: len(self.contexts()) == READY, f"{READY} contexts that wait", 60)

    def test_hands_out_contexts_that_were_there_before_they_were_asked_for(self):
        self.warm_up()
        waiting = self.contexts()
        made = self.visitor.ask("sandbox", template=self.plain, furnished=True)
        context = self.visitor.enter(made["sandbox"])
        self.visitor.run(context, "1")
        mine = [pid for pid in waiting if traces.group_of(f"/proc/{pid}", self.cove.tag) == made["id"]]
        processes = [path for path in glob.glob("/proc/[0-9]*") if traces.group_of(path, self.cove.tag) == made["id"]]
        self.assertEqual((len(mine), len(processes)), (1, 2), "init and the context that was there before")

    def test_hands_out_what_init_would_have_started(self):
        self.warm_up()
        sandbox = self.furnished()
        early = self.visitor.run(self.visitor.enter(sandbox), ABOUT)
        started = self.visitor.run(self.visitor.ask("start", sandbox=sandbox)["context"], ABOUT)
        self.assertEqual(early["cause"], "ok", early)
        self.assertEqual(early["out"], started["out"])

    def test_is_filled_while_nobody_else_wants_the_cpu_and_hands_out_full_priority(self):
        self.visitor.enter(self.visitor.sandbox(self.plain))  # the zygote hurries for somebody
        self.warm_up()
        waiting = self.groups_of(self.contexts())
        self.assertEqual({self.is_idle(group) for group in waiting | self.groups_of(self.zygotes())}, {True})
        taken = self.visitor.ask("sandbox", template=self.plain, furnished=True)["id"]
        self.assertIn(taken, waiting)
        self.assertFalse(self.is_idle(taken))

    def groups_of(self, pids):
        return {traces.group_of(f"/proc/{pid}", self.cove.tag) for pid in pids}

    def is_idle(self, group):
        [state] = [traces.read(f"{top}/{self.cove.tag}/{group}/cpu.idle") for top in traces.hierarchies()
                   if os.path.exists(f"{top}/{self.cove.tag}/{group}/cpu.idle")]
        return state == "1\n"

    def test_gives_each_its_own_numbers(self):
        self.warm_up()
        drawn = [eval(self.visitor.run(self.visitor.enter(self.furnished()), DRAWN.replace("numpy.random.rand()", "0").replace("numpy.random.default_rng().random()", "0")
                                       .replace(", numpy", ""))["out"]) for _ in range(3)]
        for kind in zip(*drawn):
            self.assertTrue(kind[0] == 0 or len(set(kind)) == 3, kind)

    def test_has_a_second_context_come_from_the_zygote(self):
        self.warm_up()
        sandbox = self.furnished()
        first, second = self.visitor.enter(sandbox), self.visitor.enter(sandbox)
        self.visitor.run(first, "here = 1")
        self.assertEqual(self.visitor.run(second, "print('here' in globals())")["out"], "False\n")

    def test_replaces_a_context_that_died_while_it_waited(self):
        self.warm_up()
        waiting = self.contexts()
        for pid in waiting:
            os.kill(pid, signal.SIGKILL)
        cove.wait_until(lambda: all(cove.is_zombie(pid) or not os.path.exists(f"/proc/{pid}") for pid in waiting), "their end")
        self.assertEqual(self.visitor.run(self.visitor.enter(self.furnished()), "print(1)")["out"], "1\n")

    def test_serves_an_environment_that_is_too_long_to_be_handed_over(self):
        self.warm_up()
        sandbox = self.furnished()
        context = self.visitor.ask("enter", sandbox=sandbox, padding=100_000)["context"]
        self.assertEqual(self.visitor.run(context, "import os; print(len(os.environ['PADDING']))")["out"], "100000\n")

    def test_gives_a_command_the_sandbox_as_well(self):
        self.warm_up()
        sandbox = self.furnished()
        self.assertEqual(self.visitor.ask("command", sandbox=sandbox, argv=["echo", "hello"])["out"], "hello\n")
        self.assertEqual(self.visitor.run(self.visitor.enter(sandbox), "print(2)")["out"], "2\n")

    def test_goes_with_its_template(self):
        template = self.variant()
        for _ in range(2):
            self.visitor.ask("end", sandbox=self.visitor.sandbox(template, furnished=True))
        cove.wait_until(lambda: len(self.zygotes()) == 2, "a zygote of its own", 60)
        with self.cove.connect() as client:
            self.assertTrue(spawner_wire.ask(client, spawner_wire.retire(template)).ok)
        cove.wait_until(lambda: len(self.zygotes()) == 1, "the zygote's end", 60)
        with self.assertRaises(visitor.Refused):
            self.visitor.sandbox(template, furnished=True)


class AnImpatientContext(Zygotes):
    def test_starts_cold_until_the_zygote_is_ready(self):
        sandbox = self.visitor.sandbox(self.plain)
        self.assertEqual(self.zygotes(), [])
        cold = self.visitor.ask("enter if ready", sandbox=sandbox)["context"]
        self.assertEqual(self.visitor.run(cold, "import sys; print(sys.orig_argv[1].rpartition('/')[2])")["out"], "start.py\n")
        self.visitor.ask("warm", template=self.plain)
        warm = self.visitor.ask("enter if ready", sandbox=sandbox)["context"]
        self.assertEqual(self.visitor.run(warm, "import sys; print(sys.orig_argv[1].rpartition('/')[2])")["out"], "zygote.py\n")


if __name__ == "__main__":
    cove.main()
