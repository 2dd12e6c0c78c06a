"""An npm package, and a registry on a loopback address that has it."""

import base64
import hashlib
import http.server
import io
import json
import tarfile
import threading


def package(name, scripts=None):
    """What `npm pack` makes of a module that returns 42, and prints it as a program."""
    files = {
        "package.json": json.dumps({"name": name, "version": "1.0.0", "bin": {name: "index.js"}, "scripts": scripts or {}}),
        "index.js": "#!/usr/bin/env node\nmodule.exports = () => 42;\nif (require.main === module) console.log(module.exports());\n",
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"package/{path}")
            member.size, member.mode = len(text.encode()), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


def integrity(content):
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


class Registry(http.server.ThreadingHTTPServer):
    """Of one package; remembers what it was asked for."""

    def __init__(self, name, content):
        self.name = name
        self.content = content
        self.asked = []
        super().__init__(("127.0.0.1", 0), _Answer)
        self.address = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    def describe(self):
        dist = {"tarball": f"{self.address}{self.name}/-/{self.name}-1.0.0.tgz", "integrity": integrity(self.content)}
        version = {"name": self.name, "version": "1.0.0", "bin": {self.name: "index.js"}, "dist": dist}
        return json.dumps({"name": self.name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}).encode()


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.server.name
        self.server.asked.append(self.path)
        known = {f"/{name}": self.server.describe, f"/{name}/-/{name}-1.0.0.tgz": lambda: self.server.content}
        body = known[self.path]() if self.path in known else b"{}"
        self.send_response(200 if self.path in known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
