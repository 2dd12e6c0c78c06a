"""Keys, teams, users and projects by command: on the state directory, without a server and without a key."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove

KEY = re.compile(r"cove_([a-z0-9]{16})_[A-Za-z0-9_-]{43}\n")
OTHER = 65534  # somebody who is not root


class OnState(cove.Test):
    templates = ()

    def json(self, *arguments):
        done = self.cove.call(*arguments, "--json")
        self.check_run(done, 0, stderr=b"")
        return json.loads(done.stdout)

    def rows(self, *arguments):
        done = self.cove.call(*arguments)
        self.check_run(done, 0, stderr=b"")
        return done.stdout.decode().splitlines()


class Keys(OnState):
    def test_a_key_is_shown_once(self):
        done = self.cove.call("key", "create", "--name", "laptop")
        self.check_run(done, 0)
        made = KEY.fullmatch(done.stdout.decode())
        self.assertTrue(made, done.stdout)
        self.assertIn(b"not shown again", done.stderr)
        secret = made[0].strip().rpartition(made[1])[2][1:].encode()
        for name in os.listdir(f"{self.cove.state}/server"):
            with open(f"{self.cove.state}/server/{name}", "rb") as file:
                self.assertNotIn(secret, file.read(), name)
        for listed in (self.cove.call("key", "list"), self.cove.call("key", "list", "--json")):
            self.assertIn(made[1].encode(), listed.stdout)
            self.assertNotIn(secret, listed.stdout)

    def test_json_has_everything(self):
        key = self.json("key", "create", "--scope", "read-only", "--expires", "30d", "--name", "ci")
        self.assertEqual(set(key), {"id", "name", "team", "user", "scope", "prefix", "created_at", "expires_at", "revoked_at", "last_used_at", "key"})
        self.assertEqual((key["name"], key["scope"], key["user"], key["revoked_at"]), ("ci", "read_only", None, None))
        self.assertTrue(key["key"].startswith(f"{key['prefix']}_"))
        self.assertEqual(key["prefix"], f"cove_{key['id']}")
        self.assertGreater(key["expires_at"], key["created_at"])
        (listed,) = [each for each in self.json("key", "list") if each["id"] == key["id"]]
        self.assertEqual(listed, {name: value for name, value in key.items() if name != "key"})

    def test_the_state_directory_may_be_named_behind(self):
        done = subprocess.run([cove.program("cove"), "key", "create", "--state", self.cove.state, "--json"], capture_output=True, check=False)
        self.check_run(done, 0, stderr=b"")
        self.assertIn(json.loads(done.stdout)["id"], [key["id"] for key in self.json("key", "list")])

    def test_a_key_is_revoked_by_any_of_its_names(self):
        for name_of in (lambda key: key["id"], lambda key: key["prefix"], lambda key: key["key"]):
            key = self.json("key", "create")
            first = self.json("key", "revoke", name_of(key))
            self.assertTrue(first["revoked_at"])
            self.assertEqual(self.json("key", "revoke", key["id"]), first)
        self.assertTrue(any("revoked" in row for row in self.rows("key", "list")))

    def test_keys_of_a_team_and_a_user(self):
        team = self.json("team", "create", "Data Science")
        user = self.json("user", "create", "ada@example.com", "--team", "Data Science")
        key = self.json("key", "create", "--team", team["id"], "--user", "ada@example.com")
        self.assertEqual((key["team"], key["user"]), (team["id"], user["id"]))
        self.assertEqual([each["id"] for each in self.json("key", "list", "--team", "Data Science")], [key["id"]])
        self.json("user", "delete", "ada@example.com", "--team", "Data Science")
        self.assertEqual(self.json("key", "list", "--team", "Data Science"), [])

    def test_what_is_wrong_is_named_with_what_to_do(self):
        for arguments, code, *words in (
            (["key", "create", "--scope", "root"], 2, "'root' is not a scope", "admin, team, read_only"),
            (["key", "create", "--expires", "soon"], 2, "'soon' is not a time"),
            (["key", "create", "--expires", "0s"], 2, "--expires takes"),
            (["key", "create", "--expires", "40000d"], 2, "--expires takes"),
            (["key", "create", "--team", "nobody"], 125, "no team 'nobody'", "cove team list"),
            (["key", "create", "--team", ""], 125, "no such team"),
            (["key", "create", "--user", "nobody"], 125, "no user 'nobody'", "cove user list"),
            (["key", "create", "--name", "x" * 101], 2, "cannot be the name of a key"),
            (["key", "list", "--team", "nobody"], 125, "no team 'nobody'"),
            (["key", "revoke", "abcdefghijkmnpqr"], 125, "no key 'abcdefghijkmnpqr'", "cove key list"),
            (["key", "revoke", "../../etc/passwd"], 2, "not the id of a key"),
            (["key", "revoke", "x" * 100000], 2, "not the id of a key"),
        ):
            with self.subTest(arguments=arguments):
                self.check_refused(self.cove.call(*arguments), code, *words)

    def test_root_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            copy = shutil.copy(cove.program("cove"), folder)
            done = subprocess.run(["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", copy, "--state", self.cove.state, "key", "create"],
                                  capture_output=True, check=False, cwd="/")
        self.check_refused(done, 125, "needs root", "sudo")


class TeamsAndProjects(OnState):
    def test_a_team_comes_and_goes_with_all_it_has(self):
        self.assertEqual([team["name"] for team in self.json("team", "list")], ["default"])
        team = self.json("team", "create", "research")
        self.json("user", "create", "ada", "--team", "research")
        self.json("project", "create", "paper", "--team", "research")
        key = self.json("key", "create", "--team", "research")
        self.assertEqual(self.json("team", "delete", "research"), {"id": team["id"], "deleted": True})
        self.assertNotIn(key["id"], [each["id"] for each in self.json("key", "list")])
        self.check_refused(self.cove.call("team", "delete", "research"), 125, "no team 'research'")
        self.check_refused(self.cove.call("team", "delete", "default"), 125, "'default' stays")
        self.check_refused(self.cove.call("team", "delete", ""), 125, "no such team")

    def test_members_of_a_project(self):
        for user in ("eve", "adam"):
            self.json("user", "create", user)
        self.json("project", "create", "paper")
        self.json("project", "add-member", "paper", "eve")
        self.json("project", "add-member", "paper", "adam", "--role", "edit")
        self.assertEqual([(each["name"], each["role"]) for each in self.json("project", "members", "paper")], [("adam", "edit"), ("eve", "run")])
        self.assertIn("adam", self.rows("project", "members", "paper")[1])
        self.json("project", "remove-member", "paper", "eve")
        self.check_refused(self.cove.call("project", "remove-member", "paper", "eve"), 125, "no member")
        self.check_refused(self.cove.call("project", "add-member", "paper", "nobody"), 125, "no user 'nobody'")
        self.check_refused(self.cove.call("project", "add-member", "paper", "adam", "--role", "own"), 2, "run, edit")
        self.check_refused(self.cove.call("project", "create", "paper"), 125, "already a project 'paper'")
        self.json("project", "delete", "paper")
        self.assertEqual(self.json("project", "list"), [])

    def test_people_read_tables(self):
        self.check_run(self.cove.call("team", "create", "Größe"), 0, stderr=b"")
        heading, *rows = self.rows("team", "list")
        self.assertEqual(heading.split(), ["ID", "CREATED", "NAME"])
        self.assertTrue(any(row.endswith("  Größe") for row in rows), rows)
        self.assertEqual(self.rows("user", "list", "--team", "Größe"), ["no users in the team 'Größe'; make one with: cove user create NAME"])

    def test_hostile_names(self):
        for name in ("'; DROP TABLE teams; --", '{"json": "\\"', "../../etc", "$(id)", "%s%n", "-"):
            with self.subTest(name=name):
                made = self.json("team", "create", name)
                self.assertEqual(made["name"], name)
                self.assertEqual(self.json("team", "delete", name), {"id": made["id"], "deleted": True})
        for name in ("", "\n", "a\x1b[31m", "\u202egnp.exe", "x" * 101, "x" * 100000, b"\xff\xfe"):
            with self.subTest(name=name):
                done = self.cove.call("team", "create", name)
                self.check_refused(done, 2, "cannot be the name of a team")
                self.assertNotIn(b"\x1b", done.stderr)
                self.assertLess(len(done.stderr), 400)


class TheDatabase(OnState):
    def directory(self):
        return f"{self.cove.state}/server"

    def owners(self):
        return {os.stat(f"{self.directory()}/{name}").st_uid for name in os.listdir(self.directory())}

    def test_works_while_somebody_has_it_open(self):
        self.json("key", "create")
        other = sqlite3.connect(f"{self.directory()}/cove.db", isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN")
        before = other.execute("SELECT count(*) FROM keys").fetchone()
        self.json("key", "create")
        self.assertEqual(other.execute("SELECT count(*) FROM keys").fetchone(), before)

    def test_many_commands_at_once_all_succeed(self):
        made = []
        threads = [threading.Thread(target=lambda: made.append(self.cove.call("key", "create"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([done.returncode for done in made], [0] * 8, [done.stderr for done in made])
        self.assertEqual(len({done.stdout for done in made}), 8)

    def test_a_broken_one_is_told(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="cove-store-") as state:
            os.mkdir(f"{state}/server", 0o700)
            with open(f"{state}/server/cove.db", "w", encoding="ascii") as file:
                file.write("not a database" * 1000)
            done = subprocess.run([cove.program("cove"), "key", "list", "--state", state], capture_output=True, check=False)
            self.check_refused(done, 125, f"database {state}/server/cove.db", "not a database")


class AnotherOwner(OnState):
    """The directory is the server's user's: whoever works in it becomes that user, and so cannot be led astray by it."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory(dir="/var/tmp", prefix="cove-store-")
        self.addCleanup(self.place.cleanup)
        os.chmod(self.place.name, 0o711)
        os.mkdir(f"{self.place.name}/server", 0o700)
        os.chown(f"{self.place.name}/server", OTHER, OTHER)

    def create(self):
        return subprocess.run([cove.program("cove"), "key", "create", "--state", self.place.name], capture_output=True, check=False)

    def test_new_files_are_the_owners(self):
        self.check_run(self.create(), 0)
        for name in os.listdir(f"{self.place.name}/server"):
            stat = os.stat(f"{self.place.name}/server/{name}")
            self.assertEqual((stat.st_uid, stat.st_gid, stat.st_mode & 0o777), (OTHER, OTHER, 0o600), name)

    def test_links_lead_to_nothing_that_the_owner_could_not_write(self):
        for name in ("cove.db", "cove.db-wal", "cove.db-shm"):
            with self.subTest(name=name):
                precious = f"{self.place.name}/precious-{name}"
                with open(precious, "w", encoding="ascii") as file:
                    file.write("precious")
                os.chmod(precious, 0o600)
                if name != "cove.db":
                    self.check_run(self.create(), 0)
                link = f"{self.place.name}/server/{name}"
                if os.path.lexists(link):
                    os.unlink(link)
                os.symlink(precious, link)
                self.assertNotEqual(self.create().returncode, 0)
                with open(precious, encoding="ascii") as file:
                    self.assertEqual(file.read(), "precious")
                self.assertEqual(os.stat(precious).st_uid, 0)
                os.unlink(link)


if __name__ == "__main__":
    cove.main()
