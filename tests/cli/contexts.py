"""Cells in a context: state, rich results, and every way in which a cell can end, in real sandboxes."""

import json
import os
import re
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import terminal


class Contexts(cove.Test):
    def cells(self, *codes, options=(), **more):
        """The events of cells that share a context, those of each cell apart, and the receipt."""
        arguments = [word for code in codes for word in ("-c", code)]
        done = self.cove.run("--context", "--json", *options, *arguments, **more)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        if not events or events[-1]["type"] != "receipt":
            raise AssertionError(f"exit {done.returncode}: {done.stdout[-500:]!r} {done.stderr[-500:]!r}")
        return done, events[:-1], events[-1]

    def text_of(self, events, channel="stdout"):
        return "".join(event["text"] for event in events if event["type"] == channel)

    def ends_with(self, cause, code, options=(), exit_code=None):
        done, events, receipt = self.cells(code, options=options)
        self.assertEqual((events[-1]["type"], events[-1]["cause"], receipt["cause"]), ("ended", cause, cause), events[-3:])
        if exit_code is not None:
            self.assertEqual(done.returncode, exit_code)
        return events, receipt


class State(Contexts):
    def test_cells_share_their_state_and_the_last_value_is_a_result(self):
        _, events, _ = self.cells("x = 6", "x * 7")
        self.assertEqual([event["type"] for event in events], ["started", "ended", "started", "result", "ended"])
        self.assertEqual(events[3]["data"]["text/plain"], "42")
        for language, first, second, value in (("javascript", "const x = 6", "x * 7", "42"), ("typescript", "let x: number = 6", "x * 7", "42")):
            _, events, _ = self.cells(first, second, options=("--language", language))
            self.assertEqual([event["data"]["text/plain"] for event in events if event["type"] == "result"], [value], language)
        _, events, _ = self.cells("x=6; cd /tmp", "echo $((x * 7)) $PWD", options=("--language", "bash"))
        self.assertEqual(self.text_of(events), "42 /tmp\n")

    def test_people_see_values_and_files_are_saved_and_named(self):
        figure = "from IPython.display import Image, display; display(Image(data=b'\\x89PNG\\r\\n\\x1a\\nrest', format='png')); 'value'"
        with tempfile.TemporaryDirectory() as folder:
            done = self.cove.run("--context", "--out", f"{folder}/new", "-c", figure)
            self.assertEqual((done.returncode, done.stdout), (0, b"<IPython.core.display.Image object>\n'value'\n"))
            self.assertIn(f"cove: saved {folder}/new/output-1.png".encode(), done.stderr)
            with open(f"{folder}/new/output-1.png", "rb") as file:
                self.assertEqual(file.read(), b"\x89PNG\r\n\x1a\nrest")
            _, events, _ = self.cells(figure)
            (shown,) = [event for event in events if event["type"] == "display"]
            self.assertEqual(shown["data"]["image/png"], "iVBORw0KGgpyZXN0")

    def test_a_file_has_cells_and_the_first_that_fails_is_the_last(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("# %% one\nx = 1\n# %% two\nprint(x)\n1/0\n# %% three\nprint('never')\n")
            file.flush()
            done = self.cove.run("--context", file.name)
        self.assertEqual((done.returncode, done.stdout), (1, b"1\n"))
        self.assertIn(b"ZeroDivisionError: division by zero", done.stderr)

    def test_cells_after_one_that_fails_are_run_when_that_is_wanted(self):
        failing = ("x = 1; import sys; sys.exit(3)", "print(x); 1/0", "import os; os._exit(5)", "'x' in dir()")
        done, events, receipt = self.cells(*failing, options=("--keep-going",))
        self.assertEqual([(event["cell"], event["cause"]) for event in events if event["type"] == "ended"],
                         [(1, "error"), (2, "error"), (3, "context_lost"), (4, "ok")])
        self.assertEqual((self.text_of(events), events[-2]["data"]), ("1\n", {"text/plain": "False"}))
        self.assertEqual((done.returncode, receipt["exit_code"], receipt["cause"]), (3, 3, "error"))
        self.assertEqual(done.stderr, b"cove: context_lost; the next cell runs all the same\n")
        done, events, _ = self.cells("print(1)", "print(2)", options=("--keep-going",))
        self.assertEqual((done.returncode, self.text_of(events)), (0, "1\n2\n"))

    def test_an_interrupt_ends_what_keeps_going(self):
        child = self.cove.start("run", "--context", "--keep-going", "-c", "1/0", "-c", "print('up', flush=True)\nimport time\ntime.sleep(1000)", "-c", "print('never')")
        self.assertEqual(child.stdout.readline(), b"up\n")
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=cove.PATIENCE)
        self.assertEqual((child.returncode, output), (1, b""))
        self.assertIn(b"KeyboardInterrupt", errors)

    def test_a_mark_is_no_line_of_its_cell(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("# %% a magic for the whole cell\n%%bash\necho $((6 * 7))\n# %% an error\n1/0\n")
            file.flush()
            done = self.cove.run("--context", file.name)
        self.assertEqual((done.returncode, done.stdout), (1, b"42\n"))
        self.assertIn(b"----> 1 1/0", done.stderr)

    def test_code_reads_the_input_that_is_given_and_fails_clearly_without(self):
        _, events, _ = self.cells("print(input() + '!')", options=("--input", "-"), input=b"hello\n")
        self.assertEqual(self.text_of(events), "hello!\n")
        events, _ = self.ends_with("error", "input()")
        self.assertIn("no stdin was provided", " ".join(event["value"] for event in events if event["type"] == "error"))

    def test_wrong_use_is_told(self):
        for arguments, message in (
            (("--out", "x", "-c", "1"), "--out, --input and --keep-going go with --context"),
            (("--keep-going", "-c", "1"), "--out, --input and --keep-going go with --context"),
            (("-c", "1", "-c", "2"), "several cells need --context"),
            (("--context", "-c", "1", "argument"), "without arguments"),
            (("--context", "--", "ls"), "without arguments"),
            (("--context", "--language", "ruby", "-c", "1"), "unknown language 'ruby'"),
            (("--language", "typescript", "-c", "1"), "add --context"),
            (("--context", "/no/such/file.py"), "/no/such/file.py"),
            (("--context", "--input", "/no/such/input", "-c", "1"), "/no/such/input"),
            (("--context", "--out", "/proc/no", "-c", "1"), "/proc/no"),
        ):
            with self.subTest(arguments=arguments):
                done = self.cove.run(*arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message.encode(), done.stderr)
                self.assertEqual(done.stdout, b"")


class Ends(Contexts):
    def test_each_end_has_its_cause(self):
        self.ends_with("error", "1/0", exit_code=1)
        self.ends_with("error", "import sys; sys.exit(3)", exit_code=3)
        self.ends_with("ok", "import sys; sys.exit(0)", exit_code=0)
        self.ends_with("context_lost", "import os; os._exit(3)")
        events, receipt = self.ends_with("crashed", "import ctypes; ctypes.string_at(0)", exit_code=128 + 11)
        self.assertEqual(receipt["signal"], signal.SIGSEGV)
        self.ends_with("timeout", "while True: pass", ("--timeout", "1s"), exit_code=124)
        self.ends_with("timeout", "import time; time.sleep(1000)", ("--timeout", "1s"), exit_code=124)
        self.ends_with("out_of_memory", "x = bytearray(1 << 30); x[::4096] = b'x' * len(x[::4096])", ("--memory", "128M"), exit_code=137)
        self.ends_with("disk_full", "open('big', 'wb').write(bytes(64 << 20))", ("--disk", "32M"))
        self.ends_with("pids_limit", "import os, time\nfor i in range(100):\n    if os.fork() == 0:\n        time.sleep(100)", ("--pids", "20"))

    def test_code_that_hears_no_interrupt_is_killed_after_a_grace(self):
        self.ends_with("timeout", "import re; re.match('(a+)+$', 'a' * 60 + 'b')", ("--timeout", "1s"), exit_code=124)
        self.ends_with("timeout", "while true; do :; done", ("--timeout", "1s", "--language", "bash"), exit_code=124)
        self.ends_with("timeout", "for (;;) {}", ("--timeout", "1s", "--language", "javascript"), exit_code=124)

    def test_a_deep_recursion_is_an_error_and_not_an_end(self):
        events, _ = self.ends_with("error", "def f(): return f()\nf()")
        self.assertEqual([event["name"] for event in events if event["type"] == "error"], ["RecursionError"])

    def test_floods_are_cut_and_counted(self):
        events, receipt = self.ends_with("ok", "for i in range(1_000_000): print(i)", ("--output", "1M"))
        self.assertEqual(len(self.text_of(events)), 1 << 20)
        self.assertEqual(events[-1]["dropped_bytes"], sum(len(str(i)) + 1 for i in range(1_000_000)) - (1 << 20))
        events, _ = self.ends_with("ok", "import os; os.write(1, bytes(range(256)))")
        self.assertIn("\ufffd", self.text_of(events))

    def test_the_receipt_lists_the_limits_that_any_cell_hit(self):
        _, _, receipt = self.cells("print('x' * 3000)", "1", options=("--output", "1k"))
        self.assertEqual((receipt["cause"], receipt["receipt"]["limits_hit"]), ("ok", ["output"]))
        _, _, receipt = self.cells("1/0", "print('x' * 3000)", options=("--output", "1k", "--keep-going"))
        self.assertEqual((receipt["cause"], receipt["receipt"]["limits_hit"]), ("error", ["output"]))

    def test_a_closed_stdout_is_there_again_for_the_next_cell(self):
        _, events, receipt = self.cells("import os; os.close(1)", "print('back')")
        self.assertEqual((self.text_of(events), receipt["cause"]), ("back\n", "ok"))

    def test_an_interrupt_reaches_the_cell_and_the_second_ends_it(self):
        child = self.cove.start("run", "--context", "-c", "print('up', flush=True)\nimport time\ntime.sleep(1000)")
        self.assertEqual(child.stdout.readline(), b"up\n")
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=cove.PATIENCE)
        self.assertEqual(child.returncode, 130)
        self.assertIn(b"KeyboardInterrupt", errors)
        # It says that it is up where it hears the interrupt already.
        stubborn = ("import time\nword = 'up'\nwhile True:\n    try:\n        word = word and print(word, flush=True)\n        time.sleep(1000)\n"
                    "    except KeyboardInterrupt: print('no', flush=True)")
        child = self.cove.start("run", "--context", "-c", stubborn)
        self.assertEqual(child.stdout.readline(), b"up\n")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.stdout.readline(), b"no\n")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=cove.PATIENCE)
        self.assertNotEqual(child.returncode, 0)
        self.cove.wait_for_sandboxes(0)


class Repl(Contexts):
    def talk(self, text, *options):
        return self.cove.call("repl", *options, input=text.encode())

    def test_state_lasts_and_a_cell_ends_when_it_is_whole(self):
        done = self.talk("x = 6\nfor i in range(2):\n    print(i)\n\nx * 7\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"0\n1\n42\n", b""))
        done = self.talk("x=6\nif true\nthen\n  echo $((x * 7))\nfi\n", "--language", "bash")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"42\n", b""))
        done = self.talk("const f = (x) => {\n  return x * 7;\n}\nf(6)\n", "--language", "js")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"42\n", b""))

    def test_an_error_is_shown_and_the_state_stays(self):
        done = self.talk("x = 1\n1/0\nx\nexit\nx\n")
        self.assertEqual(done.stdout, b"1\n")
        self.assertEqual(done.stderr.count(b"ZeroDivisionError: division by zero"), 1)

    def test_a_lost_context_comes_back_and_says_once_that_its_state_is_gone(self):
        done = self.talk("x = 1\nimport os; os._exit(3)\n'x' in dir()\n1 + 1\n")
        self.assertEqual(done.stdout, b"False\n2\n")
        self.assertEqual(done.stderr.count(b"its state is gone"), 1)
        self.assertEqual(done.stderr.count(b"cove: context_lost"), 1)

    def test_a_terminal_has_editing_history_and_interrupts(self):
        with tempfile.TemporaryDirectory() as home:
            with terminal.Terminal(self.cove.command("repl"), {"HOME": home, "TERM": "xterm"}) as screen:
                screen.expect(r"python> ")
                screen.type("print(6 * 8)\x1b[D\b7\r")  # one to the left, one deleted
                screen.expect(r"\r\n42\r\n")
                screen.type("\x1b[A\r")  # what was typed before
                screen.expect(r"\r\n42\r\n")
                screen.type("half a line\x03")
                screen.expect(r"python> ")
                screen.type("import time; print('up'); time.sleep(1000)\r")
                screen.expect(r"\r\nup\r\n")
                screen.type("\x03")
                screen.expect(r"KeyboardInterrupt")
                screen.expect(r"python> ")
                screen.type("\x04")
                self.assertEqual(screen.wait(), 1)
            with open(f"{home}/.local/state/cove/history-python", encoding="utf-8") as file:
                self.assertRegex(file.read(), re.escape("print(6").replace("\\ ", ".*"))


if __name__ == "__main__":
    cove.main()
