"""What is run: a file by its ending, code, a command, and the arguments of each."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class ProgramForms(cove.Test):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def script(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_the_ending_tells_the_language(self):
        programs = {
            "a.py": "import sys; print('python', sys.argv[1:])", "a.js": "console.log('js', process.argv.slice(2))",
            "a.mjs": "import os from 'os'; console.log('mjs', process.argv.slice(2), !!os)",
            "a.cjs": "const os = require('os'); console.log('cjs', process.argv.slice(2), !!os)",
            "a.sh": "echo sh $# \"$1\"", "a.bash": "[[ $# == 2 ]] && echo bash $# \"$1\""}
        for name, text in programs.items():
            done = self.cove.run(self.script(name, text), "one two", "--json")
            self.check_run(done, 0, stderr=b"")
            self.assertIn(name.partition(".")[2].replace("py", "python").encode(), done.stdout)
            self.assertIn(b"one two", done.stdout)

    def test_an_unknown_ending_needs_the_language(self):
        path = self.script("program.txt", "print('so it runs')")
        self.check_refused(self.cove.run(path), 2, "program.txt", "--language", "python, javascript, typescript, bash")
        self.check_run(self.cove.run("--language", "python", path), 0, b"so it runs\n")

    def test_language_names_people_type(self):
        for name in ("python", "py", "python3"):
            self.check_run(self.cove.run("--language", name, "-c", "print(1)"), 0, b"1\n")
        for name in ("javascript", "js", "node"):
            self.check_run(self.cove.run("--language", name, "-c", "console.log(1)"), 0, b"1\n")
        for name in ("bash", "sh", "shell"):
            self.check_run(self.cove.run("--language", name, "-c", "echo $((3-2))"), 0, b"1\n")
        self.check_refused(self.cove.run("--language", "cobol", "-c", "1"), 2, "cobol", "python, javascript, typescript, bash")

    def test_options_after_the_file_are_the_scripts_own(self):
        path = self.script("args.py", "import sys; print(sys.argv[1:])")
        done = self.cove.run(path, "--json", "-c", "--", "--memory", "x", "")
        self.check_run(done, 0, b"['--json', '-c', '--', '--memory', 'x', '']\n")

    def test_code_takes_arguments(self):
        done = self.cove.run("-c", "import sys; print(sys.argv[1:])", "a", "--b")
        self.check_run(done, 0, b"['a', '--b']\n")

    def test_empty_code_is_a_program(self):
        self.check_run(self.cove.run("-c", ""), 0, b"", b"")

    def test_a_command_and_its_arguments(self):
        self.check_run(self.cove.run("--", "printf", "%s|", "--json", "-c", "", "a b"), 0, b"--json|-c||a b|")

    def test_code_and_command_together_are_refused(self):
        self.check_refused(self.cove.run("-c", "print(1)", "--", "ls"), 2, "either", "not both")

    def test_nothing_after_the_dashes(self):
        self.check_refused(self.cove.run("--"), 2, "nothing to run")

    def test_a_directory_is_no_script(self):
        os.mkdir(os.path.join(self.folder, "d.py"))
        done = self.cove.run(os.path.join(self.folder, "d.py"))
        self.check_refused(done, 125, "d.py", "Is a directory")

    def test_an_odd_file_name(self):
        name = "-a 'b\"\n\\ü.py"
        path = self.script(name, "import sys; print(ascii(sys.argv[0]))")
        self.check_run(self.cove.run(path), 0, (ascii("/home/user/" + name) + "\n").encode())

    def test_a_large_script_is_refused(self):
        path = self.script("large.py", "#" * (4 << 20))
        self.check_refused(self.cove.run(path), 2, "large.py", "larger than")

    def test_many_arguments(self):
        words = [str(number) * 20 for number in range(8000)]
        done = self.cove.run("-c", "import sys; print(len(sys.argv) - 1, sum(map(len, sys.argv[1:])))", *words)
        self.check_run(done, 0, f"8000 {sum(map(len, words))}\n".encode())

    def test_home_and_identity(self):
        done = self.cove.run("--", "sh", "-c", "id -un; id -u; pwd; echo $HOME $USER $LANG $(umask)")
        self.check_run(done, 0, b"user\n1000\n/home/user\n/home/user user C.UTF-8 0022\n", b"")


if __name__ == "__main__":
    cove.main()
