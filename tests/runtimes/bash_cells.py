"""A Bash context: every event of every run is asserted."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from driver import Runtime  # noqa: E402
from environments import RUNTIMES  # noqa: E402
from expect import Cells, Like, ended, err, error, notice, out  # noqa: E402

OK = ended(0)
LOST = notice(Like("^the shell has ended"))


class BashCells(Cells):
    @classmethod
    def command(cls):
        return ["bash", os.path.join(RUNTIMES, "bash", "start.sh")]


class State(BashCells):
    def test_state(self):
        self.assertEqual(self.runtime.ready, {"language": "bash", "version": Like(r"^5\."), "protocol": 1})
        self.cell("echo hi; echo bad >&2", out("hi\n"), err("bad\n"), OK)
        self.cell("x=5; f() { echo \"f $1 $x\"; }; declare -A map=([a]=1); export Y=z; list=(1 '2 3')", OK)
        self.cell("f 1; echo ${map[a]} \"${list[1]}\"; bash -c 'echo $Y'", out("f 1 5\n1 2 3\nz\n"), OK)
        self.cell("mkdir -p sub; cd sub; shopt -s nullglob; set -o noglob", OK)
        self.cell("basename $PWD; echo *; shopt -q nullglob; echo $?; set +o noglob; echo *", out("sub\n*\n0\n\n"), OK)
        self.cell("alias greet='echo hello'", OK)
        self.cell("greet", out("hello\n"), OK)
        self.cell("trap 'echo caught' USR1", OK)
        self.cell("kill -USR1 $$", out("caught\n"), OK)
        self.cell("set -- one two; echo $#", out("2\n"), OK)
        self.cell("echo 'quo\"te' \"back\\\\slash\" $'tab\\there' ü 𝄞\ncat <<END\n$x\nEND", out("quo\"te back\\slash tab\there ü 𝄞\n5\n"), OK)
        self.cell("for i in 1 2 3; do echo $i; done | tail -1", out("3\n"), OK)
        self.cell("IFS=:; exec 3>kept; echo to three >&3", OK)
        self.cell("IFS=$' \\t\\n'; exec 3>&-; cat kept", out("to three\n"), OK)
        self.cell("", OK)
        self.cell("# nothing", OK)
        self.cell("echo $0 $((1 + 1)) $HISTFILE", out("bash 2\n"), OK)
        self.cell("read -r line; echo \"got $line\"; cat", out("got one\ntwo\n"), OK, stdin="one\ntwo\n")
        self.cell("cat; read -r line; echo $?", out("1\n"), OK)
        self.cell("python3 -c 'print(\"x\" * 100000)' | wc -c", out("100001\n"), OK)
        self.cell("echo '" + "long " * 50_000 + "' | wc -c", out("250001\n"), OK)


class Endings(BashCells):
    def test_statuses(self):
        self.cell("x=kept", OK)
        self.cell("false", ended(1))
        self.cell("(exit 4); echo $?; x=$(exit 3; echo no)", out("4\n"), ended(3))
        self.cell("true | false", ended(1))
        self.cell("nosuchcommand", err(Like("nosuchcommand: command not found")), ended(127))
        self.cell("x=kept; exit 3; echo no", ended(3))
        self.cell("g() { exit 7; }; for i in 1 2; do g; done; echo no", ended(7))
        self.cell("false; exit", ended(1))
        self.cell("exit 0", OK)
        self.cell("echo $x", out("kept\n"), OK)
        self.cell("bash -c 'kill -TERM $$'; echo $?", out("143\n"), OK)

    def test_the_status_of_a_run_is_known_to_the_next(self):
        self.cell("(exit 3)", ended(3))
        self.cell("echo $?; (exit 4)", out("3\n"), ended(4))
        self.cell("# nothing", OK)
        self.cell("echo $?", out("0\n"), OK)
        self.cell("if then", error("SyntaxError", Like("then")), ended(2))
        self.cell("echo $?", out("2\n"), OK)

    def test_syntax_errors(self):
        self.cell("echo no; if then", error("SyntaxError", Like("syntax error near unexpected token `then'")), ended(2))
        self.cell("echo 'open", error("SyntaxError", Like("unexpected EOF")), ended(2))
        self.cell("echo fine", out("fine\n"), OK)

    def test_set_e_ends_the_run_and_not_the_context(self):
        self.cell("kept=yes; set -e; false; echo no", ended(1))
        self.cell("echo $kept; h() { ls /nosuch 2>/dev/null; echo no; }; h; echo no", out("yes\n"), ended(2))
        self.cell("if false; then :; fi; false || echo handled; echo $kept", out("handled\nyes\n"), OK)
        self.cell("set +e; false; echo on", out("on\n"), OK)
        self.cell("set -u; echo $undefined; echo no", err(Like("undefined: unbound variable")), ended(1))
        self.cell("set +u; echo \"$kept\"", out("yes\n"), OK)
        self.cell("set -x; true", err(Like(r"\+ true\n$")), OK)
        self.cell("set +x", err(Like(r"\+ set \+x\n$")), OK)

    def test_an_unset_variable_ends_a_strict_run(self):
        for beginning in ("set -u", "set -o nounset", "set -uo pipefail"):
            self.cell(f"kept=yes\n{beginning}\necho begun # comment\necho $undefined\necho no", out("begun\n"), err(Like("undefined: unbound variable")), ended(1))
            self.cell("echo $kept\necho $undefined\necho no", out("yes\n"), err(Like("undefined: unbound variable")), ended(1))
            self.cell("set +u +o pipefail\necho $undefined\ncat <<END\nhere\nEND\nfalse", out("\nhere\n"), ended(1))
        self.cell("echo 1\n: ${undefined:?is needed}\necho no", out("1\n"), err(Like("undefined: is needed")), ended(1))
        self.cell("set -u\nfalse\nexit 5\necho no", ended(5))
        self.cell("shopt -s extglob; set +u\necho !(nosuch*)x", out(Like(".")), OK)
        self.cell("# only a comment", OK)
        self.cell("set -u; echo $((1 / 1))\ncat <<END\nno end", out("1\nno end\n"), err(Like("delimited by end-of-file")), OK)

    def test_streams_are_found_again(self):
        self.cell("exec >file 2>&1; echo to the file", OK)
        self.cell("echo back; cat file", out("back\nto the file\n"), OK)
        self.cell("exec 1>&-", OK)
        self.cell("echo back", out("back\n"), OK)

    def test_zz_a_shell_that_ends_says_so(self):
        self.cell("gone=yes; builtin exit 9", LOST, ended(9))
        self.cell("echo \"[$gone]\"", out("[]\n"), OK)
        self.cell("exec sh -c 'exit 6'", LOST, ended(6))
        self.cell("kill -KILL $$", LOST, ended(137))
        self.cell("set -eu\necho $undefined\necho no", err(Like("undefined: unbound variable")), LOST, ended(1))
        self.cell("echo well", out("well\n"), OK)


class Processes(BashCells):
    def test_commands_inherit_no_descriptor(self):
        self.cell("ls /proc/self/fd | wc -l; echo $COVE_CHANNEL$COVE_KEEPER", out("4\n\n"), OK)
        self.cell("env | grep -c ^PS1=", out("0\n"), ended(1))

    def test_background_jobs(self):
        self.cell("sleep 100 & echo started", out("started\n"), OK)
        self.cell("jobs -r | wc -l; kill %1; wait; echo over", out("1\nover\n"), OK)

    def test_interrupts(self):
        stopped = error("KeyboardInterrupt", "the execution was interrupted")
        for code in ("sleep 100", "while :; do :; done", "sleep 100 | cat", "(sleep 100; echo no)", "f() { while true; do sleep 1; done; }; f"):
            self.cell(f"state=kept; echo begun; {code}; echo no", out("begun\n"), stopped, ended(130), interrupt_on="begun")
        self.cell("echo $state", out("kept\n"), OK)
        self.runtime.interrupt()
        self.cell("sleep 0.3; echo well", out("well\n"), OK)
        self.cell("trap 'echo mine' INT; echo begun; sleep 100; echo after", out("begun\nmine\nafter\n"), OK, interrupt_on="begun")
        self.cell("echo begun; sleep 100", out("begun\n"), stopped, ended(130), interrupt_on="begun")


class Unacknowledged(unittest.TestCase):
    def test_who_acknowledges_nothing_is_not_waited_for(self):
        runtime = Runtime(["bash", os.path.join(RUNTIMES, "bash", "start.sh")], acknowledges=False)
        self.assertEqual([event["type"] for event in runtime.run("if then")], ["error", "done"])
        runtime.close()
        self.assertFalse(any(_is_worker_of(runtime.child.pid, name) for name in os.listdir("/proc") if name.isdigit()))


def _is_worker_of(keeper, pid):
    """A worker ends with its keeper: it reads its commands from a pipe that is the keeper's."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"/proc/{keeper}/fd/".encode() in file.read()
    except OSError:
        return False


class Checks(BashCells):
    def test_code_is_judged_without_being_run(self):
        self.judged("complete", "", "touch made", "for i in 1 2; do touch made; done", "cat <<END\nx\nEND\n")
        self.judged("incomplete", "for i in 1 2; do", "if true", "echo 'open", 'echo "open', "cat <<END\nx\n", "f() {", "echo a \\", "echo $(")
        self.judged("invalid", "fi", "echo )", "for do done")
        self.cell("ls made", err(Like("made")), ended(2))


if __name__ == "__main__":
    unittest.main()
