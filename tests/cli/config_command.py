"""cove config: every key, its value and where it comes from; and the documentation that it makes."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove

DOCUMENT = os.path.join(os.path.dirname(cove.TESTS), "docs", "configuration.md")


class ConfigCommand(cove.Test):
    config = "max_ttl = 3d\nworkspace_roots = /home\nworkspace_roots = /srv\n"

    def settings(self, *arguments, **variables):
        done = subprocess.run(self.cove.command("config", "--json", *arguments), env=os.environ | variables, capture_output=True, check=False)
        self.check_run(done, 0, stderr=b"")
        return {entry["key"]: entry for entry in json.loads(done.stdout)}

    def test_every_source_is_told(self):
        found = self.settings("--set", "ready=3", COVE_LOG_LEVEL="debug")
        self.assertEqual((found["ready"]["values"], found["ready"]["source"]), (["3"], "flag"))
        self.assertEqual((found["log_level"]["values"], found["log_level"]["origin"]), (["debug"], "COVE_LOG_LEVEL"))
        self.assertEqual((found["max_ttl"]["values"], found["max_ttl"]["origin"]), (["3d"], f"{self.cove.config}:1"))
        self.assertEqual(found["workspace_roots"]["values"], ["/home", "/srv"])
        self.assertEqual((found["listen"]["values"], found["listen"]["source"]), (["127.0.0.1:7717"], "default"))

    def test_a_table_for_people(self):
        done = self.cove.call("config")
        self.check_run(done, 0, stderr=b"")
        rows = {line.split()[0]: line for line in done.stdout.decode().splitlines()}
        self.assertIn("3d", rows["max_ttl"])
        self.assertTrue(rows["default_ttl"].endswith("default"))

    def test_options_may_stand_behind_the_command(self):
        done = subprocess.run([cove.program("cove"), "config", "--config", self.cove.config], capture_output=True, check=False)
        self.check_run(done, 0, stderr=b"")
        self.assertIn(b"/home, /srv", done.stdout)

    def test_what_is_wrong_is_refused(self):
        self.check_refused(self.cove.call("config", "--set", "reddy=1"), 2, "did you mean 'ready'?")
        done = subprocess.run([cove.program("cove"), "config", "--config", "cove.conf"], capture_output=True, check=False)
        self.check_refused(done, 2, "absolute path")
        self.check_refused(self.cove.call("config", "--set", "ready=x"), 2, "ready: 'x' is not a number")

    def test_a_file_that_others_may_write_is_refused(self):
        os.chmod(self.cove.config, 0o666)
        try:
            self.check_refused(self.cove.call("config"), 125, "writable by root alone", "chmod go-w")
        finally:
            os.chmod(self.cove.config, 0o600)

    def test_the_documentation_is_the_table(self):
        done = self.cove.call("config", "--markdown")
        self.check_run(done, 0, stderr=b"")
        with open(DOCUMENT, "rb") as file:
            self.assertEqual(file.read(), done.stdout, "write it anew: build/bin/cove config --markdown > docs/configuration.md")

    def test_the_environment_reaches_the_spawner(self):
        self.cove.stop_spawner()
        child = self.cove.try_spawner(environment={"COVE_DISK": "nonsense"})
        self.assertEqual(child.wait(cove.PATIENCE), 1)
        self.assertIn(b"COVE_DISK: disk: 'nonsense' is not one of auto", child.stderr.read())


if __name__ == "__main__":
    cove.main()
