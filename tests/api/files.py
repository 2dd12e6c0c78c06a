"""Files over HTTP: bytes in and out, ranges, trees, archives, watching, signed URLs, and hostile paths."""

import contextlib
import hashlib
import io
import os
import socket
import sys
import tarfile
import threading
import time
import urllib.parse
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server


class FileTest(server.Test):
    limits = {}

    @classmethod
    def set_up(cls):
        told = cls.api.post("/v1/sandboxes", {"template": "base", "ttl": 1200, "limits": cls.limits}, status=201).json
        cls.path = f"/v1/sandboxes/{told['id']}"
        cls.home = f"{cls.path}/files/home/user"

    def run_here(self, command):
        told = self.command(self.path, command)
        self.assertEqual(told["cause"], "ok", told)
        return told["stdout"]

    def stat(self, path, **query):
        return self.api.get(f"{self.path}/stat", query={"path": path, **query}).json


class Files(FileTest):
    def test_what_is_written_is_read(self):
        data = bytes(range(256)) * 1000
        told = self.api.put(f"{self.home}/deep/er/a%20b.bin", data).json
        self.assertEqual(told, {"path": "/home/user/deep/er/a b.bin", "size": len(data)})
        answer = self.api.get(f"{self.home}/deep/er/a%20b.bin")
        self.assertEqual((answer.body, answer.headers["content-length"]), (data, str(len(data))))
        self.assertEqual(self.run_here("sha256sum < 'deep/er/a b.bin'").split()[0], hashlib.sha256(data).hexdigest())
        self.assertEqual(self.run_here("stat -c %U:%a 'deep/er/a b.bin'"), "user:644\n")

    def test_how_it_is_written(self):
        url = f"{self.home}/how.txt"
        self.api.put(url, b"one", query={"how": "create", "mode": "0600"})
        self.check_error(self.api.call("PUT", url, data=b"two", query={"how": "create"}), 409, "conflict")
        self.api.put(url, b" two", query={"how": "append"})
        self.api.put(url, b"ONE", query={"how": "patch", "offset": 0})
        self.assertEqual(self.api.get(url).body, b"ONE two")
        self.assertEqual(self.stat("how.txt")["mode"], "0600")
        self.api.put(url, b"new")
        self.assertEqual((self.api.get(url).body, self.stat("how.txt")["mode"]), (b"new", "0600"))
        self.assertEqual(self.api.call("PUT", f"{self.home}/no/such/x", data=b"", query={"parents": "false"}).status, 404)

    def test_empty_and_without_a_length(self):
        self.api.put(f"{self.home}/empty", b"")
        self.assertEqual(self.api.get(f"{self.home}/empty").body, b"")
        pieces = [b"chunk %d\n" % number for number in range(1000)]
        self.api.put(f"{self.home}/chunked", iter(pieces))
        self.assertEqual(self.api.get(f"{self.home}/chunked").body, b"".join(pieces))

    def test_ranges(self):
        url = f"{self.home}/digits"
        self.api.put(url, b"0123456789")
        for given, status, body, told in (("bytes=2-4", 206, b"234", "bytes 2-4/10"), ("bytes=7-", 206, b"789", "bytes 7-9/10"), ("bytes=-3", 206, b"789", "bytes 7-9/10"),
                                          ("bytes=5-100", 206, b"56789", "bytes 5-9/10"), ("bytes=10-", 416, None, "bytes */10"), ("bytes=-0", 416, None, "bytes */10"),
                                          ("bytes=4-2", 200, b"0123456789", None), ("lines=1-2", 200, b"0123456789", None), ("bytes=x", 200, b"0123456789", None)):
            with self.subTest(range=given):
                answer = self.api.call("GET", url, headers={"Range": given})
                self.assertEqual((answer.status, answer.headers.get("content-range")), (status, told), answer)
                if body is not None:
                    self.assertEqual(answer.body, body)

    def test_unchanged_since(self):
        url = f"{self.home}/etag"
        self.api.put(url, b"a")
        etag = self.api.get(url).headers["etag"]
        self.assertEqual(self.api.call("GET", url, headers={"If-None-Match": etag}).status, 304)
        self.assertEqual(self.api.call("GET", url, headers={"If-Range": etag, "Range": "bytes=0-0"}).status, 206)
        self.api.put(url, b"b")
        self.assertEqual(self.api.call("GET", url, headers={"If-None-Match": etag}).body, b"b")
        self.assertEqual(self.api.call("GET", url, headers={"If-Range": etag, "Range": "bytes=0-0"}).status, 200)
        head = self.api.call("HEAD", url)
        self.assertEqual((head.status, head.headers["content-length"], head.body), (200, "1", b""))

    def test_large_ones_are_streamed(self):
        block = os.urandom(1 << 20)
        before = self.server.memory()
        told = self.api.put(f"{self.home}/large", iter([block] * 300)).json
        self.assertEqual(told["size"], 300 << 20)
        digest = hashlib.sha256(block * 300).hexdigest()
        self.assertEqual(self.run_here("sha256sum large").split()[0], digest)
        self.assertEqual(hashlib.sha256(self.api.get(f"{self.home}/large").body).hexdigest(), digest)
        self.assertLess(self.server.memory() - before, 64 << 20)
        self.api.delete(f"{self.home}/large", status=200)

    def test_what_is_no_file(self):
        self.run_here("mkdir -p dir; mkfifo fifo; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'")
        for name in ("dir", "fifo", "sock"):
            for _ in range(20):
                answer = self.api.call("GET", f"{self.home}/{name}")
                self.check_error(answer, 409, "conflict")
        self.assertIsNotNone(self.api.call("GET", f"{self.home}/dir").error["hint"])
        self.check_error(self.api.call("GET", f"{self.path}/files/dev/zero"), 409, "conflict")
        self.api.get(f"{self.home}/none", status=404)
        self.assertIn(self.api.call("GET", f"{self.path}/files/etc/shadow").status, (403, 404))

    def test_stat_and_list(self):
        self.run_here("mkdir -p tree/b; echo xyz > tree/a; touch tree/b/c; ln -sf a tree/link; chmod 640 tree/a")
        one = self.stat("tree/a")
        self.assertEqual((one["path"], one["kind"], one["size"], one["mode"]), ("a", "file", 4, "0640"))
        self.assertEqual((self.stat("tree/link", follow="false")["kind"], self.stat("tree/link", follow="false")["target"]), ("symlink", "a"))
        self.assertEqual(self.stat("tree/link")["kind"], "file")

        def names(**query):
            return [one["path"] for one in self.api.get(f"{self.path}/list", query={"path": "tree", **query}).json["items"]]

        self.assertEqual(names(), ["a", "b", "link"])
        self.assertEqual(names(depth=2), ["a", "b", "b/c", "link"])
        self.assertEqual(names(order="largest")[0], "b")
        self.check_error(self.api.call("GET", f"{self.path}/list", query={"path": "tree/a"}), 409, "conflict")

    def test_pages_of_a_large_directory(self):
        self.run_here("mkdir -p many && cd many && seq 2500 | xargs touch")
        found, cursor = [], None
        while True:
            page = self.api.get(f"{self.path}/list", query={"path": "many", "limit": 700} | ({"cursor": cursor} if cursor else {})).json
            found += [one["path"] for one in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        self.assertEqual(sorted(found, key=int), [str(number) for number in range(1, 2501)])

    def test_names_with_anything_in_them(self):
        for name in (b"new\nline", b"\x1b[31mred", b"quote\"'", b"a\\b", "ü🦆".encode(), b"\xff\xfe", b"%2e", b"-rf", b" ", b"a?b#c", b"x" * 255):
            with self.subTest(name=name):
                url = f"{self.home}/names/{urllib.parse.quote(name, safe='')}"
                self.api.put(url, name)
                self.assertEqual(self.api.get(url).body, name)
        items = self.api.get(f"{self.path}/list", query={"path": "names"}).json["items"]
        self.assertEqual(len(items), 11)
        odd = next(one for one in items if "path_base64" in one)
        self.assertEqual(odd["path_base64"], "//4=")

    def test_making_moving_linking_removing(self):
        self.api.post(f"{self.path}/mkdir", {"path": "m/n", "mode": "0700"}, status=201)
        self.assertEqual((self.stat("m/n")["kind"], self.stat("m/n")["mode"]), ("directory", "0700"))
        self.check_error(self.api.post(f"{self.path}/mkdir", {"path": "m/n", "parents": False}), 409, "conflict")
        self.api.put(f"{self.home}/m/n/f", b"x")
        self.api.post(f"{self.path}/move", {"from": "m/n/f", "to": "m/g"}, status=200)
        self.api.put(f"{self.home}/m/h", b"y")
        self.check_error(self.api.post(f"{self.path}/move", {"from": "m/g", "to": "m/h", "overwrite": False}), 409, "conflict")
        self.api.post(f"{self.path}/chmod", {"path": "m/g", "mode": "755"}, status=200)
        self.assertEqual(self.stat("m/g")["mode"], "0755")
        self.api.post(f"{self.path}/symlink", {"path": "m/l", "target": "../m/g"}, status=201)
        self.assertEqual(self.api.get(f"{self.home}/m/l").body, b"x")
        self.check_error(self.api.call("DELETE", f"{self.home}/m"), 409, "conflict")
        self.assertGreaterEqual(self.api.delete(f"{self.home}/m", query={"recursive": "true"}, status=200).json["removed"], 4)
        self.api.delete(f"{self.home}/m", status=404)

    def test_archives(self):
        self.run_here("rm -rf packed && mkdir -p packed/sub && echo a > packed/a && echo b > packed/sub/b && ln -s a packed/l && chmod 755 packed/a")
        for form in ("tar", "tar.gz", "zip"):
            with self.subTest(format=form):
                data = self.api.get(f"{self.path}/archive", query={"path": "packed", "format": form}).body
                if form == "zip":
                    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
                else:
                    names = tarfile.open(fileobj=io.BytesIO(data)).getnames()
                self.assertLessEqual({"a", "sub/b", "l"}, {name.removeprefix("./") for name in names})
                told = self.api.put(f"{self.path}/archive", data, query={"path": f"back-{form}", "format": form}).json
                self.assertGreaterEqual(told["entries"], 4)
                self.assertEqual(self.run_here(f"cat back-{form}/sub/b; readlink back-{form}/l; stat -c %a back-{form}/a"), "b\na\n755\n")

    def test_hostile_archives(self):
        def tar(*members):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as archive:
                for name, kind, link in members:
                    info = tarfile.TarInfo(name)
                    info.type, info.linkname = kind, link
                    info.size = 4 if kind == tarfile.REGTYPE else 0
                    archive.addfile(info, io.BytesIO(b"evil"))
            return out.getvalue()

        file, link, hard = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
        for name, data in (("up", tar(("../escaped", file, ""))), ("absolute", tar(("/tmp/escaped", file, ""))), ("through a link", tar(("l", link, "/tmp"), ("l/escaped", file, ""))),
                           ("hard link out", tar(("h", hard, "/etc/passwd"), ("h", file, ""))), ("cut", tar(("good", file, ""))[:700]), ("garbage", os.urandom(4096))):
            with self.subTest(archive=name):
                answer = self.api.call("PUT", f"{self.path}/archive", data=data, query={"path": "hostile"})
                self.assertIn(answer.status, (400, 409), answer)
                self.assertEqual(self.command(self.path, "ls -A hostile /tmp/escaped escaped 2>/dev/null | grep -v :")["stdout"].strip(), "")
        self.assertEqual(self.command(self.path, "ls -A | grep part")["stdout"], "")

    def test_watching(self):
        self.run_here("mkdir -p watched/below")
        with self.api.stream("GET", f"{self.path}/watch", query={"path": "watched", "recursive": "true"}) as events:
            events = iter(events)
            self.assertEqual(next(events)["type"], "watching")
            self.api.put(f"{self.home}/watched/below/new.txt", b"x")
            seen = []
            while not any(one["path"] == "below/new.txt" and one["type"] == "created" for one in seen):
                seen.append(next(events))
            self.api.delete(f"{self.home}/watched/below/new.txt", status=200)
            while not any(one["path"] == "below/new.txt" and one["type"] == "removed" for one in seen):
                seen.append(next(events))
        self.api.call("GET", f"{self.path}/watch", query={"path": "no/such"}, status=404)

    def test_a_flood_of_changes(self):
        self.run_here("mkdir -p flood")
        with self.api.stream("GET", f"{self.path}/watch", query={"path": "flood"}) as events:
            events = iter(events)
            next(events)
            before = self.server.memory()
            self.run_here("cd flood && python3 -c \"for i in range(100000): open(str(i % 100), 'w').close()\"")
            self.api.put(f"{self.home}/flood/last", b"")
            self.assertTrue(any(one["type"] in ("overflow", "created") for one in (next(events) for _ in range(10))))
            self.assertLess(self.server.memory() - before, 64 << 20)

    def test_a_client_that_goes_in_the_middle_leaves_the_old_file(self):
        url = f"{self.home}/half"
        self.api.put(url, b"old")
        raw = socket.create_connection(self.server.address)
        raw.sendall(f"PUT {url} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.api.key}\r\nContent-Length: 1000000\r\n\r\n".encode() + b"x" * 100_000)
        raw.close()
        cove.wait_until(lambda: self.command(self.path, "ls -A | grep -c '[.]part$' || true")["stdout"].strip() == "0", "the draft to be gone")
        self.assertEqual(self.api.get(url).body, b"old")

    def test_two_at_once_are_one_or_the_other(self):
        url = f"{self.home}/both"
        contents = [bytes([letter]) * 3_000_000 for letter in b"ab"]
        threads = [threading.Thread(target=lambda data=data: self.server.api(self.api.key).put(url, data)) for data in contents for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIn(self.api.get(url).body, contents)


class Hostile(FileTest):
    def test_paths_that_are_none(self):
        for path in ("/files/", "/files/home/user/../../etc/passwd", "/files/home/%2e%2e/etc/passwd", "/files//etc/passwd", "/files/home/user/a%00b", "/files/" + "a/" * 2100 + "x",
                     "/files/" + "a" * 5000, "/files/.", "/files/%2e%2e"):
            with self.subTest(path=path[:60]):
                answer = self.api.call("GET", self.path + path)
                self.assertIn(answer.status, (400, 404), answer)
        for path in ("", "a\0b", "a" * 4097, "x/" * 3000):
            with self.subTest(query=path[:60]):
                self.check_error(self.api.call("GET", f"{self.path}/stat", query={"path": path}), 400, "invalid_request")

    def test_links_lead_to_the_sandboxs_own_files(self):
        self.run_here("ln -sf /etc/hostname l1; ln -sf /proc/1/environ l2; ln -sf /proc/self/root l3; ln -sf / l4; ln -sf /home/user/l5 l5; ln -sf /dev/zero l6")
        inside = self.run_here("cat /etc/hostname")
        self.assertEqual(self.api.get(f"{self.home}/l1").body.decode(), inside)
        for name in ("l2", "l3/etc/passwd", "l5", "l6"):
            with self.subTest(link=name):
                self.assertIn(self.api.call("GET", f"{self.home}/{name}").status, (400, 403, 404, 409))
        for path in ("/files/proc/self/root/etc/passwd", "/files/proc/self/fd/0", "/files/dev/fd/0", "/files/proc/1/environ"):
            with self.subTest(path=path):
                self.assertIn(self.api.call("GET", self.path + path).status, (403, 404, 409))
        self.assertEqual(self.api.get(f"{self.home}/l4/etc/hostname").body.decode(), inside)

    def test_writing_through_a_link_stays_inside(self):
        marker = f"/var/tmp/cove-escape-{os.getpid()}"
        self.run_here("ln -sf /var/tmp outside")
        self.api.call("PUT", f"{self.home}/outside/{os.path.basename(marker)}", data=b"x")
        self.assertFalse(os.path.exists(marker))

    def test_a_file_that_changes_while_it_is_read(self):
        self.run_here("head -c 50M /dev/zero > shrinking; truncate -s 1T sparse; (while :; do echo x >> growing; done) & sleep 0.2; kill %1")
        answer = self.api.call("HEAD", f"{self.home}/sparse")
        self.assertEqual(answer.headers["content-length"], str(1 << 40))
        raw = socket.create_connection(self.server.address)
        raw.settimeout(60)
        raw.sendall(f"GET {self.home}/shrinking HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.api.key}\r\n\r\n".encode())
        raw.recv(1000)
        self.run_here(": > shrinking")
        received = 1000
        with contextlib.suppress(ConnectionResetError):
            while piece := raw.recv(1 << 20):
                received += len(piece)
        self.assertLess(received, 52 << 20)  # short, and the connection tells so by its end
        raw.close()

    def test_headers_that_a_name_could_bring(self):
        url = f"{self.home}/{urllib.parse.quote(chr(97) + chr(34) + chr(13) + chr(10) + 'X-Evil: y')}"
        self.api.put(url, b"x")
        self.assertNotIn("x-evil", self.api.get(url).headers)

    def test_a_deep_tree(self):
        self.run_here("python3 -c \"import os\nfor i in range(3000): os.mkdir('d'); os.chdir('d')\"")
        page = self.api.get(f"{self.path}/list", query={"path": ".", "depth": 1000, "limit": 10}).json
        self.assertEqual(len(page["items"]), 10)
        self.assertGreaterEqual(self.api.delete(f"{self.home}/d", query={"recursive": "true"}, status=200).json["removed"], 3000)

    def test_directories_that_are_swapped_meanwhile(self):
        marker = f"cove-race-{os.getpid()}"
        self.run_here("mkdir -p real && echo inside > real/secret")
        race = ("import ctypes, os\nlibc = ctypes.CDLL(None)\nos.symlink('/var/tmp', 'swap') if not os.path.lexists('swap') else None\n"
                "while True: libc.syscall(316, -100, b'real', -100, b'swap', 2)")
        made = self.api.post(f"{self.path}/processes", {"argv": ["python3", "-c", race]}, status=201).json
        until = time.monotonic() + 5
        while time.monotonic() < until:
            self.api.call("PUT", f"{self.home}/real/{marker}", data=b"x")
            answer = self.api.call("GET", f"{self.home}/real/secret")
            self.assertIn((answer.status, answer.body if answer.status == 200 else b""), ((200, b"inside\n"), (404, b""), (403, b""), (409, b"")))
        self.api.delete(f"{self.path}/processes/{made['id']}", status=200)
        self.assertFalse(os.path.exists(f"/var/tmp/{marker}"))


class Full(FileTest):
    limits = {"disk_mb": 64}

    def test_a_full_disk_says_so_and_can_be_emptied(self):
        self.api.put(f"{self.home}/old", b"old")
        answer = self.api.call("PUT", f"{self.home}/old", data=iter([b"x" * (1 << 20)] * 200))
        self.check_error(answer, 507, "disk_full")
        self.assertEqual(self.api.get(f"{self.home}/old").body, b"old")
        self.command(self.path, "head -c 200M /dev/zero > fill")
        self.check_error(self.api.call("PUT", f"{self.home}/more", data=b"x" * (1 << 20)), 507, "disk_full")
        self.assertEqual(self.api.get(f"{self.home}/old").body, b"old")
        self.api.delete(f"{self.home}/fill", status=200)
        self.api.put(f"{self.home}/more", b"x" * (1 << 20))


class Signed(FileTest):
    def fetch(self, method, url, data=None):
        parts = urllib.parse.urlsplit(url)
        self.assertEqual((parts.scheme, parts.netloc), ("http", "%s:%d" % self.server.address))
        return self.server.api().call(method, f"{parts.path}?{parts.query}", data=data)

    def sign(self, **wish):
        return self.api.post(f"{self.path}/signed-urls", wish, status=201).json["url"]

    def test_up_and_down_without_a_key(self):
        self.assertEqual(self.fetch("PUT", self.sign(path="signed file.txt", method="PUT"), b"content").status, 200)
        url = self.sign(path="/home/user/signed file.txt")
        answer = self.fetch("GET", url)
        self.assertEqual((answer.status, answer.body), (200, b"content"))
        self.assertEqual(self.fetch("HEAD", url).status, 200)

    def test_it_is_good_for_nothing_else(self):
        self.api.put(f"{self.home}/one", b"1")
        self.api.put(f"{self.home}/two", b"2")
        url = self.sign(path="one")
        for wrong in (url.replace("/one?", "/two?"), url.replace("expires=", "expires=9"), url[:-1] + ("A" if url[-1] != "A" else "B"), url + "x", url.partition("?")[0],
                      url.replace("signature=", "signatur="), url.replace(self.path, self.sandbox())):
            with self.subTest(url=wrong):
                self.assertIn(self.fetch("GET", wrong).status, (400, 401))
        self.assertEqual(self.fetch("PUT", url, b"x").status, 401)
        self.assertEqual(self.fetch("DELETE", url).status, 401)

    def test_it_expires(self):
        self.api.put(f"{self.home}/short", b"1")
        url = self.sign(path="short", expires=1)
        cove.wait_until(lambda: self.fetch("GET", url).status == 401, "the URL to expire")

    def test_wrong_wishes(self):
        for wish in ({}, {"path": "a", "method": "DELETE"}, {"path": "a", "expires": 0}, {"path": "a", "expires": 1e9}, {"path": "a", "port": 1}, {"port": 0}):
            self.check_error(self.api.post(f"{self.path}/signed-urls", wish), 400, "invalid_request")


if __name__ == "__main__":
    server.main()
