"""Recipes that bring locked npm packages: fetched outside from where npm is told to, installed inside without network."""

import base64
import hashlib
import http.server
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import traces

NAME = "cove-tiny"
FILES = {
    "package/package.json": json.dumps({"name": NAME, "version": "1.0.0", "bin": {NAME: "index.js"}, "scripts": {"postinstall": "touch /etc/script-ran"}}),
    "package/index.js": "#!/usr/bin/env node\nmodule.exports = () => 42;\nif (require.main === module) console.log(module.exports());\n",
}


def tarball():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path, text in FILES.items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(text.encode()), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


class Registry(http.server.ThreadingHTTPServer):
    """One package on a loopback address, for one test class."""

    def __init__(self, content):
        self.content = content
        self.asked = []
        super().__init__(("127.0.0.1", 0), Answer)
        self.address = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def describe(self):
        dist = {"tarball": f"{self.address}{NAME}/-/{NAME}-1.0.0.tgz", "integrity": integrity(self.content)}
        version = {"name": NAME, "version": "1.0.0", "bin": {NAME: "index.js"}, "dist": dist}
        return json.dumps({"name": NAME, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}).encode()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        known = {f"/{NAME}": self.server.describe, f"/{NAME}/-/{NAME}-1.0.0.tgz": lambda: self.server.content}
        body = known[self.path]() if self.path in known else b"{}"
        self.send_response(200 if self.path in known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def integrity(content):
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


class NpmPackages(cove.Test):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.registry = Registry(tarball())

    @classmethod
    def tearDownClass(cls):
        cls.registry.shutdown()
        cls.registry.server_close()
        cls.folder.cleanup()
        super().tearDownClass()

    def lock(self, **changes):
        entry = {"version": "1.0.0", "integrity": integrity(self.registry.content), "bin": {NAME: "index.js"}} | changes
        return json.dumps({"lockfileVersion": 3, "packages": {"": {"dependencies": {NAME: "^1"}}, f"node_modules/{NAME}": entry}}, indent=1)

    def build(self, lock, *options):
        for name, text in (("tools.lock", lock), ("tools.recipe", "from = base\n[npm tools.lock]\n")):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.write(text)
        settings = {name: value for name, value in os.environ.items() if not name.lower().startswith("npm_config_")}
        settings |= {"npm_config_registry": self.registry.address, "HOME": self.folder.name}
        return self.cove.call("template", "build", "tools", "--recipe", os.path.join(self.folder.name, "tools.recipe"), *options, env=settings, timeout=300)

    def nothing_but_the_cache(self):
        self.assertEqual([name for name in traces.files(f"{self.cove.state}/builds") if not name.startswith(".")], [])
        self.assertNotIn(b"tools", self.cove.call("template", "list").stdout)

    def test_fetched_once_and_there_for_everybody(self):
        shutil.rmtree(f"{self.cove.state}/downloads", ignore_errors=True)
        done = self.build(self.lock(resolved="x://nowhere/evil.tgz"))
        self.check_run(done, 0)
        self.assertIn(b"fetch 1 npm packages, 1 of them not in the download cache", done.stderr)
        home = f"/usr/local/lib/npm/tools/node_modules/{NAME}"
        done = self.cove.run("--template", "tools", "--", "sh", "-ec",
                             f"{NAME}; command -v {NAME}; node -p 'require(\"{home}\")()'; test ! -e /etc/script-ran; ls -A /usr/local/lib/npm/tools; test ! -e /var/cache/cove")
        self.check_run(done, 0, f"42\n/usr/local/bin/{NAME}\n42\nnode_modules\n".encode())
        asked = len(self.registry.asked)
        done = self.build(self.lock(), "--force")
        self.check_run(done, 0)
        self.assertEqual(len(self.registry.asked), asked, "the second build needs no network")
        self.check_run(self.cove.call("template", "rm", "tools"), 0)

    def test_another_hash_than_the_lock(self):
        done = self.build(self.lock(integrity=integrity(b"something else")))
        self.check_run(done, 125, b"")
        self.assertIn(f"{NAME} 1.0.0: what was fetched has another hash".encode(), done.stderr)
        self.nothing_but_the_cache()

    def test_locks_of_an_enemy(self):
        for changes in ({"version": "x://y/z.tgz"}, {"version": "--evil.x"}, {"integrity": "sha1-AAAA"}, {"link": True}, {"name": "other"}):
            with self.subTest(changes=changes):
                self.check_refused(self.build(self.lock(**changes)), 2, "tools.lock:9: ")
        self.check_refused(self.build(self.lock().replace(f"node_modules/{NAME}", "node_modules/../../x")), 2, "tools.lock:9: ")
        self.check_refused(self.build("{\n  oops"), 2, "tools.lock:2: ")
        self.nothing_but_the_cache()


if __name__ == "__main__":
    cove.main()
