"""--help of every command."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


COMMANDS = ["run", "repl", "template", "template build", "template list", "template show", "template rm", "template export", "template import",
            "doctor", "spawner", "spawner status", "spawner stop", "serve", "service", "service install", "service remove", "service show", "config", "completion",
            "key", "key create", "key list", "key revoke", "team", "team create", "team list", "team delete", "user", "user create", "user list", "user delete",
            "project", "project create", "project list", "project delete", "project members", "project add-member", "project remove-member"]


class HelpTexts(cove.Test):
    def help(self, command):
        done = self.cove.call(*command.split(), "--help")
        self.check_run(done, 0, stderr=b"")
        return done.stdout.decode()

    def test_every_command_explains_itself_with_an_example(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                text = self.help(command)
                self.assertGreater(len(text.splitlines()), 3)
                self.assertIn("xample", text)
                self.assertIn(f"cove {command}", text)

    def test_the_program_itself(self):
        text = self.help("")
        for command in ("run", "repl", "template", "doctor", "spawner", "serve", "service", "config", "completion"):
            self.assertIn(command, text)
        self.assertIn("cove run -c", text)

    def test_no_command_is_missing_from_this_test(self):
        listed = set()
        for command in ("", "template", "spawner", "key", "team", "user", "project", "service"):
            names = re.findall(r"^  ([a-z-]+) ", self.help(command).partition("ubcommands:")[2], re.MULTILINE)
            listed |= {f"{command} {name}".strip() for name in names}
        self.assertEqual(listed, set(COMMANDS))

    def test_run_documents_its_exit_codes_and_every_option(self):
        text = self.help("run")
        for word in ("124", "125", "126", "127", "130", "137", "128+N", "--template", "--cpus", "--memory", "--disk", "--pids", "--timeout", "--output",
                     "--env", "--workspace", "-c", "--language", "--root", "--json", "--receipt", "--context", "--keep-going"):
            self.assertIn(word, text)

    def test_help_needs_no_root_and_no_state(self):
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", cove.program("cove"), "run", "--help"],
                              capture_output=True, check=False)
        self.check_run(done, 0, stderr=b"")

    def test_the_words_of_an_example_can_be_typed(self):
        self.check_run(self.cove.run("--language", "js", "-c", "console.log(1)"), 0, b"1\n")
        self.check_run(self.cove.run("--", "tr", "a-z", "A-Z", input=b"hello\n"), 0, b"HELLO\n")
        self.check_run(self.cove.run("--", "ls", "-la", "/"), 0)


if __name__ == "__main__":
    cove.main()
