"""The Python client against a live server: sync and async, and the settings that it finds."""

import asyncio
import json
import os
import pathlib
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "..", "sdk", "python", "src")]

import cove_sandbox
import server
from cove_sandbox import settings, streams
from executions import PNG


class Settings(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)

    def profile(self, text):
        path = pathlib.Path(self.home.name, ".config", "cove", "profile.json")
        path.parent.mkdir(parents=True)
        path.write_text(text)

    def find(self, *arguments, **environment):
        return settings.find(*arguments, environment={"HOME": self.home.name, **environment})

    def test_arguments_then_environment_then_profile(self):
        self.profile(json.dumps({"address": "http://profile:1", "key": "from-profile"}))
        self.assertEqual(self.find(), settings.Settings("http://profile:1", "from-profile"))
        self.assertEqual(self.find(COVE_URL="http://environment:2", COVE_API_KEY="k"), settings.Settings("http://environment:2", "k"))
        self.assertEqual(self.find("http://argument:3/", "a", COVE_URL="x", COVE_API_KEY="y"), settings.Settings("http://argument:3", "a"))

    def test_the_profiles_key_goes_to_the_profiles_server_only(self):
        self.profile(json.dumps({"address": "http://profile:1", "key": "from-profile"}))
        self.assertIsNone(self.find("http://elsewhere:2").api_key)

    def test_without_anything(self):
        self.assertEqual(self.find(), settings.Settings("http://127.0.0.1:7717", None))

    def test_a_socket(self):
        self.assertEqual(self.find("unix:/run/x.sock", "k").unix_socket, "/run/x.sock")

    def test_a_profile_that_is_none_is_named(self):
        self.profile("{")
        with self.assertRaisesRegex(ValueError, "profile.json"):
            self.find()


class Decoder(unittest.TestCase):
    def test_events_in_any_pieces(self):
        data = 'id: 1\nevent: stdout\ndata: {"a":\ndata: "\u2028\x85"}\n\n: alive\n\ndata: 2\r\n\r\n'.encode()
        for size in (1, 2, 3, 7, 1000):
            decoder = streams.Decoder()
            found = [text for at in range(0, len(data), size) for text in decoder.feed(data[at:at + size])]
            self.assertEqual(found, ['{"a":\n"\u2028\x85"}', "2"])


class Client(server.Test):
    @classmethod
    def set_up(cls):
        cls.url = "http://%s:%d" % cls.server.address

    def client(self):
        client = cove_sandbox.Cove(self.url, self.api.key)
        self.addCleanup(client.close)
        return client

    def test_five_lines(self):
        with cove_sandbox.Sandbox.create(self.url, self.api.key) as sandbox:
            sandbox.run("x = 20 + 1")
            self.assertEqual(sandbox.run("x * 2").text, "42")
        self.assertEqual(sandbox.info.state, "ended")

    def test_results(self):
        with self.client().create(template="base", labels={"a": "b"}, memory_mb=256) as sandbox:
            self.assertEqual((sandbox.info.labels, sandbox.info.limits["memory_mb"]), ({"a": "b"}, 256))
            self.assertTrue(sandbox.run(PNG).png.startswith(b"\x89PNG"))
            failed = sandbox.run("1/0")
            self.assertEqual((failed.ok, failed.cause, failed.error.name, failed.text), (False, "error", "ZeroDivisionError", None))
            self.assertEqual(sandbox.run("while True: pass", timeout=0.3).cause, "timeout")
            done = sandbox.run("open('o', 'wb').write(open('i', 'rb').read()[::-1]); None", files={"i": b"\xff\x00a"}, outputs=["o", "none"])
            self.assertEqual(done.output("o"), b"a\x00\xff")
            with self.assertRaises(FileNotFoundError):
                done.output("none")

    def test_streams(self):
        with self.client().create(template="base") as sandbox:
            events = list(sandbox.stream("print('a')\n7"))
            self.assertEqual([event.type for event in events], ["started", "stdout", "result", "ended"])
            self.assertEqual((events[1].text, events[2].text, events[3].cause), ("a\n", "7", "ok"))
            again = list(sandbox.attach(events[0].raw["execution"], after=2))
            self.assertEqual([event.number for event in again], [3, 4])
            self.assertEqual("".join(event.text for event in sandbox.stream_command("echo b") if event.type == "stdout"), "b\n")

    def test_commands_contexts_processes(self):
        with self.client().create(template="base") as sandbox:
            done = sandbox.command("echo $A; exit 3", env={"A": "b"})
            self.assertEqual((done.stdout, done.exit_code), ("b\n", 3))
            self.assertEqual(sandbox.command(["printf", "%s", "$HOME"]).stdout, "$HOME")
            context = sandbox.create_context("javascript")
            sandbox.run("let a = 4", context=context)
            self.assertEqual(sandbox.run("a + 1", context=context).text, "5")
            sandbox.restart_context(context)
            self.assertIsNotNone(sandbox.run("a", context=context).error)
            sandbox.delete_context(context)
            process = sandbox.start("sleep 1000")
            self.assertIn(process.id, [one.id for one in sandbox.processes("running")])
            sandbox.kill(process.id)
            self.assertEqual(sandbox.wait(process.id).state, "ended")

    def test_files(self):
        with self.client().create(template="base") as sandbox, tempfile.TemporaryDirectory() as local:
            self.assertEqual(sandbox.files.write("sub/a b.txt", "ü"), 2)
            self.assertEqual(sandbox.files.read_text("sub/a b.txt"), "ü")
            data = os.urandom(5 << 20)
            pathlib.Path(local, "up").write_bytes(data)
            sandbox.files.upload(f"{local}/up", "/tmp/up")
            self.assertEqual(sandbox.files.download("/tmp/up", f"{local}/down"), len(data))
            self.assertEqual(pathlib.Path(local, "down").read_bytes(), data)
            with self.assertRaises(cove_sandbox.NotFound):
                sandbox.files.download("none", f"{local}/none")
            self.assertEqual(sorted(os.listdir(local)), ["down", "up"])
            sandbox.files.move("sub/a b.txt", "sub/c")
            self.assertEqual([one.path for one in sandbox.files.list("sub")], ["c"])
            self.assertEqual((sandbox.files.stat("sub/c").size, sandbox.files.exists("sub/x")), (2, False))
            sandbox.files.make_directory("d/e")
            sandbox.files.remove("d", recursive=True)
            self.assertFalse(sandbox.files.exists("d"))

    def test_errors_have_a_code_and_a_hint(self):
        with self.assertRaises(cove_sandbox.Unauthorized) as raised:
            cove_sandbox.Cove(self.url, "wrong").create()
        self.assertEqual((raised.exception.code, raised.exception.status), ("unauthorized", 401))
        self.assertTrue(raised.exception.hint)
        client = self.client()
        with self.assertRaises(cove_sandbox.NotFound):
            client.get("abcdabcdabcdabcd")
        with self.assertRaises(cove_sandbox.InvalidRequest):
            client.create(ttl=-1)
        sandbox = client.create(template="base")
        sandbox.close()
        with self.assertRaises(cove_sandbox.Gone) as raised:
            sandbox.run("1")
        self.assertEqual(raised.exception.details["cause"], "deleted")
        with self.assertRaises(cove_sandbox.ConnectionFailed):
            cove_sandbox.Cove("http://127.0.0.1:1", "k").create()

    def test_lists_and_one_shots(self):
        client = self.client()
        made = [client.create(template="base", labels={"of": "list"}) for _ in range(3)]
        found = [one.id for one in client.list(label="of:list", limit=1)]
        self.assertEqual(found, [one.id for one in reversed(made)])
        for one in made:
            one.close()
        self.assertEqual(client.execute("print(6 * 7)").stdout, "42\n")
        self.assertEqual(client.execute(command="echo x").stdout, "x\n")
        self.assertEqual([one["name"] for one in client.templates()], ["base"])

    def test_async(self):
        asyncio.run(self.all_async())

    async def all_async(self):
        async with cove_sandbox.AsyncCove(self.url, self.api.key) as client, await client.create(template="base") as sandbox:
            values = await asyncio.gather(*(sandbox.command(f"echo {number}") for number in range(10)))
            self.assertEqual([one.stdout for one in values], [f"{number}\n" for number in range(10)])
            await sandbox.run("x = 41")
            self.assertEqual((await sandbox.run("x + 1")).text, "42")
            self.assertEqual([event.type async for event in sandbox.stream("print(1)")], ["started", "stdout", "ended"])
            with tempfile.TemporaryDirectory() as local:
                data = os.urandom(3 << 20)
                pathlib.Path(local, "up").write_bytes(data)
                await sandbox.files.upload(f"{local}/up", "up")
                self.assertEqual(await sandbox.files.download("up", f"{local}/down"), len(data))
                self.assertEqual(pathlib.Path(local, "down").read_bytes(), data)
            self.assertIn("up", [one.path async for one in sandbox.files.list()])
            context = await sandbox.create_context("bash")
            self.assertEqual((await sandbox.run("echo $0", context=context)).cause, "ok")
            with self.assertRaises(cove_sandbox.NotFound):
                await sandbox.files.read("none")
            self.assertIn(sandbox.id, [one.id async for one in client.list(state="running")])
        async with await cove_sandbox.AsyncSandbox.create(self.url, self.api.key) as sandbox:
            self.assertEqual((await sandbox.run("1")).text, "1")


if __name__ == "__main__":
    server.main()
