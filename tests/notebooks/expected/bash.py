"""What cells/bash.bash tells, cell by cell, with INPUT as its input and the wheelhouse as its workspace."""

from expected.events import Cell, Exactly, ended, err, error, failed, notice, out


def lost(status):
    return notice(f"the shell has ended (status {status}); variables, functions and options are gone, the next run begins in a new one")


STATE = [
    Cell("variables outlive their cell"),
    Cell("and are used", out("Ada is 42, constant\n")),
    Cell("integer attributes stay", out("7\n")),
    Cell("exported variables reach children, others do not", out("yes unset\n")),
    Cell("arrays", out("<two words><three><four> 3 1 2 3\n")),
    Cell("associative arrays", out("36 3\n")),
    Cell("functions, with local variables and a status"),
    Cell("the status of a run is that of its last command", out("hello, Bob\n"), ends=failed(3)),
    Cell("the last status is known to the next run", out("status 3\nhello, nobody\nAda\n")),
    Cell("so is that of a run that ends in an error of its own", ends=failed(9)),
    Cell("and it counts as any other status", out("nine\n")),
    Cell("aliases"),
    Cell("an alias is used in a later cell", out("alias there\n")),
    Cell("the working directory outlives its cell"),
    Cell("it is still there", out("/home/user/work\n/workspace\n~/work\n")),
]

COMMANDS = [
    Cell("a file from a here-document, with and without expansion", out("name Ada\nname $name\n")),
    Cell("a here-string and process substitution", out("1c1\n< first\n---\n> second\n"), ends=failed(1)),
    Cell("loops, conditions, case, arithmetic", out("zero\nmore: 2\n[a]\n[b]\n")),
    Cell("pipelines, and the status of each part", out("CBA\n0 1 0\n")),
    Cell("both streams, each in its order", out("out 1\nout 2\n"), err("err 1\nerr 2\n")),
    Cell("a subshell changes nothing of this shell", out("inside other /\noutside Ada /home/user/work\n")),
    Cell("a command that does not exist", err("bash: no-such-command: command not found\n"), ends=failed(127)),
    Cell("a file that is not there", err("cat: no-such-file: No such file or directory\n"), ends=failed(1)),
    Cell("a command that a signal kills", ends=failed(143)),
]

OPTIONS = [
    Cell("set -e ends the run at the first failure, not the context", out("before\n"), ends=failed(1)),
    Cell("it is still set", out("1\n"), ends=failed(1)),
    Cell("set +e takes it back", out("after\n")),
    Cell("set -u: an unset variable is an error", out("start\n"), err("bash: no_such_variable: unbound variable\n"), ends=failed(1)),
    Cell("a variable that is needed says so", err("bash: no_such_variable: is needed\n"), ends=failed(1)),
    Cell("the context is still there", out("[] Ada\n")),
    Cell("pipefail", ends=failed(1)),
    Cell("options that were set stay set", out("on\n")),
    Cell("shopt: patterns", out("a.txt b.txt notes.txt\n")),
    Cell("quoting, unicode, bytes", out("naïve 日本語 🧪\nsingle $name\ntab\there\n\ufffd\ufffd\n3 ADA Ida\n")),
]

PROCESSES = [
    Cell("background jobs are waited for", out("first 0\nsecond 4\n")),
    Cell("a job outlives its cell", out("1\n")),
    Cell("and is found in the next", out("done\n")),
    Cell("a trap for a signal", out("caught USR1\nafter the trap\n")),
    Cell("a trap of a subshell at its end", out("leaving with 2\n"), ends=failed(2)),
    Cell("exit ends the run with its status, and not the context", out("leaving\n"), ends=failed(7)),
    Cell("in a function, too", ends=failed(8)),
    Cell("the state is as before", out("Ada 3 /home/user/work\n"), ends=failed(3)),
    Cell("a syntax error: nothing of the cell is run",
         error("SyntaxError", "line 2: syntax error near unexpected token `then'\nline 2: `if then'",
               Exactly("SyntaxError: line 2: syntax error near unexpected token `then'\nline 2: `if then'")), ends=failed(2)),
    Cell("standard input is what was given", out("read: Ada\nLovelace\n")),
    Cell("command substitution, arithmetic, default values", out("4 255 default set\n")),
    Cell("printf -v, mapfile, and sorting", out("00042 a b\n")),
    Cell("xtrace goes to stderr", err("+++ echo 7\n+++ set +x\n")),
    Cell("redirections of the whole shell last for their run only"),
    Cell("the next run has its streams back", out("captured\n")),
    Cell("a package is installed from a wheelhouse, and its program found", out("/home/user/.local/bin/cove-tiny\n"), ends=failed(42)),
    Cell("much output is cut and counted", out("".join(f"{i}\n" for i in range(10_000, 50_000))[:100 << 10]), ends=ended(dropped=40_000 * 6 - (100 << 10))),
    Cell("a run of a shell that ends itself says that its state is gone", lost(9), ends=failed(9)),
    Cell("a new shell has nothing of it", out("[gone] /workspace\n")),
    Cell("set -e and set -u together end the shell at an unset variable, as they end a script",
         err("bash: no_such_variable: unbound variable\n"), lost(1), ends=failed(1)),
    Cell("and the next run begins anew", out("0\n"), ends=failed(1)),
]

CELLS = [*STATE, *COMMANDS, *OPTIONS, *PROCESSES]
