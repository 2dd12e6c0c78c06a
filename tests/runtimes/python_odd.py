"""A Python context and user code that breaks things: descriptors, signals, forks, reprs that never end. The context goes on."""

import glob
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from driver import Died, Runtime  # noqa: E402
from environments import RUNTIMES, python_with_ipython  # noqa: E402
from expect import FAILED, OK, Cells, Like, ended, err, error, notice, out  # noqa: E402

START = os.path.join(RUNTIMES, "python", "start.py")
TEXT_LIMIT = 1 << 20


class Odd(Cells):
    @classmethod
    def command(cls):
        return [python_with_ipython(), "-B", START]

    def result(self, text):
        return {"type": "result", "data": {"text/plain": text}, "metadata": {}, "execution_count": Any()}


class Any:
    def __eq__(self, other):
        return True


class Streams(Odd):
    def works(self):
        self.cell("import sys; print('out'); print('err', file=sys.stderr)", out("out\n"), err("err\n"), OK)

    def test_closed_streams(self):
        self.cell("import sys, os, io\nsys.stdout.close(); sys.stderr.close()", OK)
        self.works()

    def test_replaced_streams(self):
        self.cell("import sys, os, io\nsys.stdout = io.StringIO(); print('nowhere'); sys.stderr = None", OK)
        self.works()

    def test_closed_descriptors(self):
        self.cell("import os\nos.close(1); os.close(2)", OK)
        self.works()
        self.cell("os.closerange(3, 100)", OK)
        self.works()

    def test_redirected_descriptor(self):
        self.cell("import os\nf = os.open('file', os.O_WRONLY | os.O_CREAT); os.dup2(f, 1); print('to the file')", OK)
        self.works()
        self.cell("open('file').read()", self.result("'to the file\\n'"), OK)

    def test_a_million_lines(self):
        events = self.runtime.run("for i in range(1_000_000): print(i)")
        self.assertEqual([event["type"] for event in events], ["stdout", "done"])
        self.assertEqual(events[0]["text"].count("\n"), 1_000_000)

    def test_a_directory_that_is_gone(self):
        self.cell("import os\nos.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')", OK)
        self.cell("1", self.result("1"), OK)
        self.cell("import os\nos.chdir(os.environ['HOME'])", OK)

    def test_deleted_builtins(self):
        self.cell("import builtins\ndel builtins.input, builtins.sorted, builtins.sum", OK)
        self.cell("sorted([2, sum([1])])[0]", self.result("1"), OK)
        # IPython needs these itself to end the cell; what it says then is its own affair.
        self.runtime.run("import builtins\ndel builtins.isinstance, builtins.len, builtins.str\n[1]")
        self.cell("print(len('abc'), isinstance(1, int), str(1))", out("3 True 1\n"), OK)


class Values(Odd):
    def test_a_repr_that_raises(self):
        self.cell("class Bad:\n    def __repr__(self): raise ValueError('no repr')\nBad()",
                  error("ValueError", "no repr", Like("Bad.__repr__")), FAILED)
        self.cell("class Half:\n    def _repr_html_(self): raise ValueError('no html')\n    def __repr__(self): return 'half'\nHalf()",
                  error("ValueError", "no html"), self.result("half"), FAILED)

    def test_a_repr_that_never_ends(self):
        self.cell("class Endless:\n    def __repr__(self):\n        print('begun')\n        while True: pass\nEndless()",
                  out("begun\n"), error("KeyboardInterrupt", ""), FAILED, interrupt_on="begun")

    def test_large_texts_are_cut_before_they_are_copied(self):
        self.cell("import resource\npeak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10\n"
                  "big = 'x' * 300_000_000\nbefore = peak()", OK)
        cut = notice(f"text/plain: cut to {TEXT_LIMIT} characters")
        for code in ("big", "[1, big]", "(big, 2)"):
            events = self.runtime.run(code)
            self.assertEqual([event["type"] for event in events], ["result", "notice", "done"])
            self.assertEqual(len(events[0]["data"]["text/plain"]), TEXT_LIMIT)
            self.assertEqual(events[1:], [cut, OK])
        self.cell("peak() - before < 50", self.result("True"), OK)
        self.cell("class Own:\n    def __repr__(self): return big", OK)
        events = self.runtime.run("Own()")
        self.assertEqual(events[0]["data"]["text/plain"], "x" * (TEXT_LIMIT - 1) + "…")
        self.cell("peak() - before < 50", self.result("True"), OK)
        self.cell("display({'text/html': big}, raw=True)", notice(Like("^text/html: left out, its 300000000 bytes")), OK)
        events = self.runtime.run("raise ValueError(big)")
        self.assertEqual([event["type"] for event in events], ["error", "done"])
        self.assertLess(len(events[0]["value"]), 70_000)
        self.assertIn("characters are left out", events[0]["traceback"])
        self.cell("peak() - before < 50", self.result("True"), OK)
        self.cell("big = None", OK)

    def test_large_values_travel_in_parts(self):
        events = self.runtime.run("import os\nblob = os.urandom(10_000_000)\ndisplay({'image/png': blob, 'text/html': 'h' * 6_000_000}, raw=True)\n"
                                  "import hashlib\nprint(hashlib.sha256(blob).hexdigest())")
        self.assertEqual([event["type"] for event in events], ["display", "stdout", "done"])
        import hashlib
        self.assertEqual(events[1]["text"].strip(), hashlib.sha256(events[0]["data"]["image/png"]).hexdigest())
        self.assertEqual(events[0]["data"]["text/html"], "h" * 6_000_000)

    def test_exceptions(self):
        self.cell("class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute()",
                  error("Mute", Like("__str__ raised ValueError"), Like("raise Mute")), FAILED)
        self.cell("def r(): return r()\nr()", error("RecursionError", Like("maximum recursion depth"), Like("frames .* are left out")), FAILED)
        self.cell("class Deep(dict): pass\nd = []\nfor _ in range(100_000): d = [d]\nd", error("RecursionError", Any()), FAILED)
        self.cell("d = None", OK)
        self.cell("class Wrong(Exception):\n    __cause__ = property(lambda self: 1 / 0)\nraise Wrong('w')", error("Wrong", "w"), FAILED)


class Signals(Odd):
    def test_interrupts(self):
        for code in ("while True: pass", "import time; time.sleep(100)", "!sleep 100", "import subprocess; subprocess.run(['sleep', '100'])",
                     "!(sleep 100)", "!trap '' INT; sleep 100", "while True: sum([1])"):
            self.cell(f"print('begun')\n{code}", out("begun\n"), error("KeyboardInterrupt", "", Like("^(?!.*cove_runtime/interrupts)")), FAILED,
                      interrupt_on="begun")
        self.cell("for i in range(10**12):\n    if i == 0: print('begun')", out("begun\n"),
                  error("KeyboardInterrupt", "", Like("----> 1 for|----> 2     if")), FAILED, interrupt_on="begun")
        self.cell("print('on')", out("on\n"), OK)

    def test_an_interrupt_between_statements_shows_no_machinery(self):
        """Python compiles a statement when its turn comes, and hears of an interrupt only after that."""
        slow_to_compile = f"x = [{'print, ' * 200_000}]"
        self.cell(f"print('begun')\n{slow_to_compile}\nwhile True: pass", out("begun\n"), error("KeyboardInterrupt", "", Like("^(?!.*(codeop|IPython/|cove_runtime))")),
                  FAILED, interrupt_on="begun")

    def test_an_interrupt_between_cells_does_nothing(self):
        self.runtime.interrupt()
        self.cell("import time; time.sleep(0.05); 7", self.result("7"), OK)

    def test_handlers_of_user_code_do_not_outlive_their_cell(self):
        self.cell("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)", self.result(Any()), OK)
        self.cell("print('begun')\nwhile True: pass", out("begun\n"), error("KeyboardInterrupt", ""), FAILED, interrupt_on="begun")

    def test_a_handler_may_catch_the_interrupt(self):
        self.cell("try:\n    print('begun')\n    while True: pass\nexcept KeyboardInterrupt:\n    print('caught')",
                  out("begun\ncaught\n"), OK, interrupt_on="begun")


class Alarms(Odd):
    def test_an_alarm_that_raises_hurts_only_the_cell_it_hits(self):
        self.cell("import signal, time\ndef late(*_): raise TimeoutError('late')\nsignal.signal(signal.SIGALRM, late)\n"
                  "signal.setitimer(signal.ITIMER_REAL, 0.02)\ntime.sleep(10)", error("TimeoutError", "late"), FAILED)
        self.runtime.run("signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)")  # strikes again and again, also between cells
        for _ in range(20):
            events = self.runtime.run("x = [i for i in range(10000)]")
            self.assertEqual(events[-1]["type"], "done")
        for _ in range(20):  # the alarm may strike before the cell gets to it
            self.runtime.run("signal.signal(signal.SIGALRM, signal.SIG_IGN); signal.setitimer(signal.ITIMER_REAL, 0)")
        self.runtime.run("import gc; gc.collect()")
        self.cell("print('well')", out("well\n"), OK)


class Processes(Odd):
    def test_a_forked_child_says_nothing_on_the_channel(self):
        self.cell("import os, sys\npid = os.fork()\nif pid:\n    print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
                  "else:\n    display('unheard'); print('child'); sys.exit(5)", out("child\nstatus 5\n"), OK)
        self.cell("pid = os.fork()\nif pid:\n    print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\nelse:\n    1 / 0",
                  out("status 1\n"), err(Like("ZeroDivisionError")), OK)
        self.cell("pid = os.fork()\nif pid:\n    print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
                  out("status 0\n"), OK)

    def test_multiprocessing(self):
        self.cell("import multiprocessing\ndef square(n): return n * n\n"
                  "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, [1, 2, 3]))", out("[1, 4, 9]\n"), OK)
        self.cell("with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.map(abs, [-1, -2]))", out("[1, 2]\n"), OK)
        self.cell("from concurrent.futures import ProcessPoolExecutor\n"
                  "with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context('fork')) as pool: print(pool.submit(square, 9).result())",
                  out("81\n"), OK)

    def test_children_do_not_inherit_the_channel(self):
        self.cell("!ls /proc/self/fd | wc -l", out("4\n"), OK)  # 0, 1, 2 and the directory
        self.cell("import subprocess\nsubprocess.run('echo $COVE_CHANNEL; ls -l /proc/self/fd | grep -c socket', shell=True, close_fds=False)\nNone",
                  out("\n0\n"), OK)

    def test_a_thread_that_goes_on_belongs_to_no_execution(self):
        self.cell("import threading\ngo = threading.Event()\nthread = threading.Thread(target=lambda: (go.wait(), display('late')))\nthread.start()", OK)
        self.cell("threading.Timer(0.01, go.set).start()", OK)
        events = self.runtime.run("thread.join()")
        seen = [event["type"] for event in events] + [verb for verb, _ in self.runtime.stray]
        self.assertEqual(sorted(seen), sorted(["done", seen[0] if seen[0] == "display" else "event"]))

    def test_nothing_is_written_to_the_home_directory(self):
        self.assertEqual(glob.glob(os.path.join(self.home, ".*")), [])


class Unacknowledged(unittest.TestCase):
    def test_who_acknowledges_nothing_is_not_waited_for(self):
        runtime = Runtime([python_with_ipython(), "-B", START], acknowledges=False)
        self.assertEqual([event["type"] for event in runtime.run("display(1); display(2)\n3")], ["display", "display", "result", "done"])
        self.assertEqual(runtime.close(), 0)


class Ends(unittest.TestCase):
    """What kills the process; to tell why is pid 1's business."""

    def end(self, code):
        runtime = Runtime([python_with_ipython(), "-B", START])
        try:
            with self.assertRaises(Died) as died:
                runtime.run(f"print('begun')\n{code}")
            return died.exception.args[0], runtime._events
        finally:
            runtime.close()

    def test_exit_without_a_word(self):
        self.assertEqual(self.end("import os; os._exit(7)"), (7, [out("begun\n")]))

    def test_segmentation_fault_says_where(self):
        status, events = self.end("import ctypes; ctypes.string_at(0)")
        self.assertEqual(status, -signal.SIGSEGV)
        self.assertEqual(events, [out("begun\n"), err(Like(r"Segmentation fault.*ipython-input-1"))])


class UserSite(Odd):
    """Not in a virtual environment, which has no user site."""

    @classmethod
    def command(cls):
        virtual = python_with_ipython()
        packages = subprocess.run([virtual, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True, capture_output=True, text=True)
        cls.environment = {"PYTHONPATH": packages.stdout.strip()}
        return [os.path.realpath(virtual), "-B", START]

    @classmethod
    def setUpClass(cls):
        cls.command()
        super().setUpClass()

    def test_what_was_just_installed_is_importable(self):
        place = "import os, sys, site\nplace = os.path.expanduser(f'~/.local/lib/python3.{sys.version_info[1]}/site-packages')\nos.makedirs(place)"
        self.cell(f"{place}\nopen(place + '/fresh.py', 'w').write('value = 1')\nNone", OK)
        self.cell("import fresh; fresh.value", self.result("1"), OK)
        self.cell("!echo 'value = 2' >{place}/newer.py\nimport newer; newer.value", self.result("2"), OK)
        self.cell("os.makedirs('editable')\nopen('editable/linked.py', 'w').write('value = 3')\n"
                  "open(place + '/linked.pth', 'w').write(os.path.abspath('editable'))\nNone", OK)
        self.cell("import linked; linked.value", self.result("3"), OK)


class Zygote(Odd):
    environment = {"OPENBLAS_NUM_THREADS": "1"}  # else numpy has a thread of its own

    @classmethod
    def command(cls):
        os.makedirs(os.path.join(cls.home, "place"), exist_ok=True)
        return [python_with_ipython(), "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "support", "zygote.py"),
                os.path.join(RUNTIMES, "python")]

    def test_a_forked_context(self):
        self.cell("_descriptors, _tasks", self.result("(True, 1)"), OK)
        self.cell("import os\nos.getcwd().rsplit('/', 1)[1], os.environ['BECAME'], 'warm' in globals()", self.result("('place', 'yes', False)"), OK)
        self.cell("%pwd", self.result(Like("/place'")), OK)
        self.cell("import random, numpy\n(random.random(), numpy.random.rand()) == (0.13436424411240122, 0.417022004702574)", self.result("False"), OK)
        self.cell("random.seed(1); numpy.random.seed(1)\n(random.random(), numpy.random.rand()) == (0.13436424411240122, 0.417022004702574)",
                  self.result("True"), OK)
        self.cell("plt.plot([1])", error("NameError", "name 'plt' is not defined"), FAILED)
        self.cell("import sys; sys.exit(4)", error("SystemExit", "4"), ended(4))
        self.cell("await __import__('asyncio').sleep(0, 8)", self.result("8"), OK)


if __name__ == "__main__":
    unittest.main()
