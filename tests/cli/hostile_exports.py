"""An export edited by an attacker: `cove template import` refuses it, naming the member, and leaves nothing; or it takes it,
and a sandbox made from it is as sealed as any other, or is refused.

Every archive here is a real export of a tiny template, taken apart and changed in one place. The attacker holds the whole
file, so where the tree may be taken the digest is made right again.
"""

import contextlib
import copy
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import exported
import traces
from exported import Member, plain

JUDGE = b"root/bin/judge_own_root"
MOST_MEMORY = 400 << 20  # of the importing process; the widest window that zstd grants by itself is 128 MiB


def number_of(members, name):
    return next(index for index, member in enumerate(members) if member.name == name)


def replace(members, name, **fields):
    """What is below the member goes too: only the place itself is wrong."""
    kept = [member for member in members if not member.name.startswith(name + b"/")]
    new = {"kind": b"0", "mode": 0o644, "data": b"", "link": b""} | fields
    for key, value in new.items():
        setattr(kept[number_of(kept, name)], key, value)
    return kept


class HostileExports(cove.Test):
    templates = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scratch = tempfile.mkdtemp(prefix="cove-hostile-")
        cls.victim = f"{cls.scratch}/victim"
        cls.file = f"{cls.scratch}/evil.tar"
        os.mkdir(f"{cls.scratch}/target")
        with open(cls.victim, "w", encoding="ascii") as file:
            file.write("nobody writes here\n")
        cls.export_a_real_one()
        cls.outside = cls.look_outside()

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["rm", "-rf", cls.scratch], check=True)
        super().tearDownClass()

    @classmethod
    def export_a_real_one(cls):
        """Imports a tiny tree and lets the product export it: what the attacker starts from."""
        with open(os.path.join(os.path.dirname(cove.BIN), "attacks", "judge_own_root"), "rb") as file:
            judge = file.read()
        folders = ("", "/bin", "/dev", "/etc", "/home", "/home/user", "/opt", "/proc", "/run", "/sys", "/usr", "/var", "/workspace")
        members = [Member(b"root" + name.encode(), b"5", 0o755) for name in folders]
        members += [Member(b"root/root", b"5", 0o700), Member(b"root/tmp", b"5", 0o1777), Member(b"root/var/tmp", b"5", 0o1777)]
        members += [Member(b"root/etc/" + name, data=b"x\n") for name in (b"group", b"hostname", b"hosts", b"machine-id", b"passwd", b"resolv.conf")]
        members += [Member(JUDGE, mode=0o755, data=judge), Member(b"root/opt/link", b"2", 0o777, link=b"file"),
                    Member(b"root/opt/file", data=b"text\n"), Member(b"root/opt/same", b"1", link=b"root/opt/file")]
        fields = {"name": "tiny", "digest": "0" * 64, "recipe": "", "suite": "trixie", "created": "2026-01-31T12:00:00Z", "version": "0.1.0",
                  "bytes": 0, "entries": 0, "user": "user", "uid": 1000, "home": "/home/user"}
        data = cls.made_right(fields, ["LANG=C.UTF-8"], members)
        done = cls.import_bytes(data)
        assert done.returncode == 0, done.stderr
        real = f"{cls.scratch}/real.tar.zst"
        done = cls.cove.call("template", "export", "tiny", real)
        assert done.returncode == 0, done.stderr
        with open(real, "rb") as file:
            cls.real = file.read()
        cls.fields, cls.environment, cls.members = exported.take_apart(cls.real)
        assert cls.cove.call("template", "rm", "tiny").returncode == 0

    # How an archive is made and judged.

    @classmethod
    def import_bytes(cls, data, file=None):
        with open(file or cls.file, "wb") as out:
            out.write(data)
        return cls.cove.call("template", "import", file or cls.file)

    @staticmethod
    def announcing(fields, members):
        return fields | {"bytes": sum(len(member.data) for member in members if member.kind == b"0"), "entries": len(members), "digest": "0" * 64}

    @classmethod
    def made_right(cls, fields, environment, members):
        """Size, number and digest fit the tree, which the product is made to tell itself."""
        fields = cls.announcing(fields, members)
        told = cls.import_bytes(exported.archive(exported.meta_text(fields, environment), members)).stderr.decode("utf-8", "replace")
        fields["digest"] = re.search(r"it holds template ([0-9a-f]{64})", told)[1]
        return exported.archive(exported.meta_text(fields, environment), members)

    def edited(self, edit):
        """For archives that are refused before anybody asks for the digest."""
        members = edit(copy.deepcopy(self.members))
        return exported.archive(exported.meta_text(self.announcing(self.fields, members), self.environment), members)

    def added(self, *extra):
        return self.edited(lambda members: members + list(extra))

    def right(self, edit):
        """For archives that are taken."""
        return self.made_right(self.fields, self.environment, edit(copy.deepcopy(self.members)))

    def right_with(self, *extra):
        return self.right(lambda members: members + list(extra))

    @classmethod
    def look_outside(cls):
        """Whatever an archive may try to reach."""
        status = os.lstat(cls.victim)
        with open(cls.victim, "rb") as file:
            text = file.read()
        return (text, status.st_mode, status.st_uid, status.st_nlink, status.st_ctime_ns, os.listdir(f"{cls.scratch}/target"),
                sorted(os.listdir("/")), os.stat("/etc/passwd").st_ctime_ns, os.stat("/dev/null").st_mode)

    def check_nothing_left(self, what):
        self.assertEqual(traces.files(f"{self.cove.state}/templates"), ["names"], what)
        self.assertEqual([name for name in traces.files(f"{self.cove.state}/builds") if not name.startswith(".")], [], what)
        self.assertEqual(self.cove.sandboxes(), [], what)
        self.assertEqual(self.look_outside(), self.outside, what)

    @contextlib.contextmanager
    def case(self, what):
        """One archive, which leaves nothing whatever is found out about it."""
        with self.subTest(what):
            try:
                yield
            finally:
                if os.path.exists(f"{self.cove.state}/templates/names/tiny"):
                    self.cove.call("template", "rm", "tiny")
            self.check_nothing_left(what)

    def check_import_refused(self, what, data, *words, by_digest=False):
        """Refused for its own sake, and not because nobody made the digest right: an attacker would have."""
        with self.case(what):
            done = self.import_bytes(data)
            self.assertEqual(traces.files(f"{self.cove.state}/templates"), ["names"])
            said = done.stderr.decode()  # in every case a text that a terminal can show
            self.assertIn(done.returncode, (2, 125), said)
            self.assertEqual(done.stdout, b"")
            self.assertTrue(said.splitlines()[-1].startswith("cove: "), said)
            if not by_digest:
                self.assertNotIn("it holds template", said)
            self.assertFalse(re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", said), said)
            self.assertLess(len(said), 1200)
            for word in words:
                self.assertIn(word, said)

    def check_sealed(self, what, data, inside=None, run=("/bin/judge_own_root",)):
        """Taken; and then a sandbox starts, sees only its own places, and leaves nothing."""
        with self.case(what):
            done = self.import_bytes(data)
            self.assertEqual(done.returncode, 0, done.stderr)
            if inside:
                inside(self.root_of("tiny"))
            done = self.cove.run("--template", "tiny", "--", *run)
            self.assertNotIn(b" WORKED ", done.stdout)
            self.assertEqual(done.returncode, 1, done.stderr)  # every probe was refused

    def check_run_refused(self, what, data, *words):
        with self.case(what):
            done = self.import_bytes(data)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.cove.run("--template", "tiny", "--", "/bin/judge_own_root")
            self.assertIn(done.returncode, (125, 126, 127), done.stderr)
            self.assertEqual(done.stdout, b"")
            for word in words:
                self.assertIn(word, done.stderr.decode())

    def root_of(self, name):
        return f"{self.cove.state}/templates/{self.cove.digest(name)}/root"

    # The archives.

    def test_control_the_unchanged_export_is_taken_and_runs(self):
        self.check_sealed("as exported", self.real)
        self.check_sealed("taken apart and put together", exported.archive(exported.meta_text(self.fields, self.environment), self.members))
        self.check_sealed("compressed anew", exported.compressed(self.right(lambda members: members), "-19"))

    def test_one_byte_flipped_anywhere(self):
        """In the compressed file, and in every part of the plain one: meta, headers, names, contents, padding."""
        for at in range(0, len(self.real), len(self.real) // 12):
            data = bytearray(self.real)
            data[at] ^= 0x01
            self.check_import_refused(f"compressed, byte {at}", bytes(data), by_digest=True)
        data = exported.archive(exported.meta_text(self.fields, self.environment), self.members)
        meta_end = data.index(b"environment = ")
        offset = {}
        at = 0
        for member in [Member(exported.META, data=exported.FORMAT + exported.meta_text(self.fields, self.environment))] + self.members:
            offset[member.name] = at
            at += len(member.encode())
        judge = offset[JUDGE]
        places = {"digest of the meta": data.index(b"digest = ") + 12, "size of the meta": data.index(b"bytes = ") + 8,
                  "environment of the meta": meta_end + 16, "name in a header": judge + 9, "mode in a header": judge + 104,
                  "owner in a header": judge + 114, "size in a header": judge + 133, "kind in a header": judge + 156,
                  "start of a content": judge + 512, "middle of a content": judge + 400_000,
                  "target of a link": offset[b"root/opt/link"] + 157, "target of a hard link": offset[b"root/opt/same"] + 166}
        for what, at in places.items():
            flipped = bytearray(data)
            flipped[at] ^= 0x01
            self.check_import_refused(f"plain, {what}", bytes(flipped), by_digest=True)
            if "header" in what or "link" in what:  # with the checksum made right
                start = judge if "header" in what else offset[b"root/opt/link" if what == "target of a link" else b"root/opt/same"]
                flipped[start + 148:start + 156] = b" " * 8
                flipped[start + 148:start + 156] = b"%06o\0 " % sum(flipped[start:start + 512])
                self.check_import_refused(f"plain, {what}, checksum made right", bytes(flipped), by_digest=True)

    def test_meta(self):
        def with_meta(text):
            return exported.archive(text, self.members)

        def changed(**fields):
            return with_meta(exported.meta_text(self.fields | fields, self.environment))

        good = exported.meta_text(self.fields, self.environment)
        cases = {
            "a name that climbs": (changed(name="../../evil"), "name", "../../evil"),
            "an absolute name": (changed(name="/etc/passwd"), "name"),
            "a name that hides": (changed(name=".guard"), "name"),
            "a name for the broom": (changed(name="trash.x"), "name"),
            "a name with an escape": (changed(name="a\x1b[31m"), "meta"),
            "a name with an 8-bit escape": (changed(name="a\u009b31m"), "meta"),
            "no name": (changed(name=""), "name"),
            "another digest": (changed(digest="f" * 64), "changed or damaged", "f" * 64),
            "half a digest": (changed(digest="abc"), "digest"),
            "a huge number": (changed(bytes="9" * 30), "bytes"),
            "more than a template may hold": (changed(bytes=2 ** 63), "16 GiB"),
            "more entries than a template may hold": (changed(entries=10 ** 6 + 1), "million"),
            "a negative number": (changed(entries="-1"), "entries"),
            "a number that is none": (changed(bytes="many"), "bytes"),
            "a number with a tail": (changed(bytes="12 "), "bytes"),
            "user root": (changed(user="root"), "user"),
            "uid 0": (changed(uid=0), "uid"),
            "a uid beyond the block": (changed(uid=65536), "uid"),
            "a home outside": (changed(home="/etc"), "home"),
            "a home that climbs": (changed(home="/home/../etc"), "home"),
            "a home of two fields": (changed(home="/home/a:/bin/sh"), "home"),
            "a creation date that draws": (changed(created="\u009b2J"), "created"),
            "a version that draws": (changed(version="1\u009b2J"), "version"),
            "a key twice": (with_meta(good + b"name = again\n"), "name"),
            "an unknown key": (with_meta(good + b"shell = /bin/sh\n"), "shell"),
            "a key less": (with_meta(good.replace(b"suite = trixie\n", b"")), "suite"),
            "a variable twice": (with_meta(good + b"environment = LANG=C\n"), "environment"),
            "a variable without a name": (with_meta(good + b"environment = =x\n"), "environment"),
            "a variable that is no text": (with_meta(good + b"environment = A=\xff\xfe\n"), "meta"),
            "a preloaded library": (with_meta(good + b"environment = LD_PRELOAD=/evil.so\n"), "changed or damaged"),
            "a NUL": (with_meta(good + b"environment = A=\x00\n"), "meta"),
            "no last newline": (with_meta(good[:-1]), "meta"),
            "nothing": (with_meta(b""), "meta"),
            "64 KiB": (with_meta(good + b"environment = A=" + b"x" * 65536 + b"\n"), "meta"),
            "another format": (Member(exported.META, data=b"cove-template 2\n" + good).encode() + b"\0" * 1024, "format"),
            "no meta at all": (b"".join(member.encode() for member in self.members) + b"\0" * 1024, "cove-template"),
            "a meta that is a link": (Member(exported.META, b"2", link=b"/etc/passwd").encode() + b"\0" * 1024, "cove-template"),
            "a meta longer than the file": (Member(exported.META, data=b"cove", size=60000).encode(), "read archive"),
            "an empty file": (b"", "archive"),
            "not an archive": (b"#!/bin/sh\necho hello\n" * 100, "archive"),
        }
        for what, (data, *words) in cases.items():
            self.check_import_refused(what, data, *words, by_digest="changed or damaged" in words)

    def test_paths(self):
        deep = b"root" + b"/d" * 65
        cases = {
            "absolute": (Member(self.victim.encode(), data=b"owned"), "empty name"),
            "absolute in an extended header": (Member(b"x", pax=((b"path", self.victim.encode()),), data=b"owned"), self.victim),
            "climbing": (Member(b"root/../../evil", data=b"x"), "'..'"),
            "climbing in the middle": (Member(b"root/opt/../../../evil", data=b"x"), "'..'"),
            "not below root": (Member(b"evil", data=b"x"), "evil", "not below root/"),
            "with a newline": (Member(b"root/a\nb", data=b"x"), "control characters"),
            "with an escape": (Member(b"root/\x1b[2J", data=b"x"), "control characters"),
            "256 bytes": (plain(b"root/" + b"n" * 256, b"x"), "255 bytes"),
            "too deep": (plain(deep, b"x"), "64 levels"),
            "longer than a path may be": (plain(b"root" + b"/" + b"/".join([b"n" * 200] * 22), b"x"), "4000 bytes"),
            "a chain of long names": (plain(b"root/" + b"/".join([b"n" * 250] * 10), b"x"), "has not come before"),
            "no parent": (Member(b"root/nowhere/x", data=b"x"), "has not come before"),
            "twice": (Member(b"root/opt/file", data=b"again"), "root/opt/file", "twice"),
            "the root twice": (Member(b"root", b"5", 0o777), "twice"),
            "the meta twice": (Member(exported.META, data=b"x"), "not below root/"),
            "no name": (Member(b"", data=b"x"), "archive"),
        }
        for what, (member, *words) in cases.items():
            self.check_import_refused(what, self.added(member), *words)
        # Two names for one member: whichever the reader takes, it is held to the rules.
        self.check_import_refused("GNU name climbs, extended one does not",
                                  self.added(Member(b"root/opt/a", gnu_name=b"root/../../evil" + b"x" * 90, data=b"x")), "'..'")
        self.check_sealed("extended name climbs, GNU one does not, and counts",
                          self.right_with(Member(b"root/opt/a", gnu_name=b"root/opt/b", pax=((b"path", b"root/../../evil"),), data=b"x")),
                          lambda root: self.assertIn("b", os.listdir(f"{root}/opt")))
        self.check_import_refused("a name that is no UTF-8, and says so",
                                  self.added(Member(b"root/opt/a", pax=((b"path", b"root/opt/\xff\xfe"),), data=b"x")))

    def test_names_that_are_odd_and_harmless(self):
        def check_name(root):
            self.assertIn(b"\xff\xfe", os.listdir(os.fsencode(f"{root}/opt")))

        self.check_sealed("bytes that are no UTF-8", self.right_with(Member(b"root/opt/\xff\xfe", data=b"x")), check_name)
        self.check_sealed("255 bytes", self.right_with(plain(b"root/opt/" + b"n" * 255, b"x")))

        def check_cut(root):
            self.assertEqual([name for name in os.listdir(f"{root}/opt") if name.startswith("cut")], ["cut"])

        self.check_sealed("a NUL ends a name", self.right_with(Member(b"root/opt/a", pax=((b"path", b"root/opt/cut\0/../../x"),), data=b"x")), check_cut)

    def test_links(self):
        victim = self.victim.encode()
        folder = os.path.dirname(victim)
        out = Member(b"root/out", b"2", 0o777, link=folder)
        cases = {
            "through a link": ((out, Member(b"root/out/victim", data=b"owned")), "root/out/victim", "has not come before"),
            "through a climbing link": ((Member(b"root/out", b"2", 0o777, link=b"../../../.."), Member(b"root/out/evil", data=b"x")), "has not come before"),
            "a directory through a link": ((out, Member(b"root/out/new", b"5", 0o777)), "has not come before"),
            "a file over a link": ((Member(b"root/out", b"2", 0o777, link=victim), Member(b"root/out", data=b"owned")), "twice"),
            "a directory over a link": ((out, Member(b"root/out", b"5", 0o777)), "twice"),
            "hard link to the host": ((Member(b"root/l", b"1", link=victim),), "root/l", "empty name"),
            "hard link that climbs": ((Member(b"root/l", b"1", link=b"root/../../../victim"),), "root/l", "'..'"),
            "hard link through a link": ((out, Member(b"root/l", b"1", link=b"root/out/victim")), "root/l", "has not come before"),
            "hard link to a link": ((Member(b"root/s", b"2", 0o777, link=victim), Member(b"root/l", b"1", link=b"root/s")), "root/l"),
            "hard link to a directory": ((Member(b"root/l", b"1", link=b"root/etc"),), "root/l", "not a regular file"),
            "hard link to the root": ((Member(b"root/l", b"1", link=b"root"),), "root/l"),
            "hard link to what comes later": ((Member(b"root/l", b"1", link=b"root/later"), Member(b"root/later", data=b"x")), "root/l"),
            "hard link to itself": ((Member(b"root/l", b"1", link=b"root/l"),), "root/l"),
            "hard link with content": ((Member(b"root/l", b"1", link=b"root/opt/file", data=b"owned"),),),
            "a link to nothing": ((Member(b"root/s", b"2", 0o777, link=b""),), "root/s"),
            "a link longer than a path": ((Member(b"root/s", b"2", 0o777, pax=((b"linkpath", b"x" * 4096),)),), "root/s"),
        }
        for what, (extra, *words) in cases.items():
            self.check_import_refused(what, self.added(*extra), *words)
        # Links out of the tree are lawful in it. Nobody follows them outside.
        self.check_sealed("links that point out", self.right_with(out, Member(b"root/opt/up", b"2", 0o777, link=b"../../../../../.." + victim)))

    def test_kinds_and_owners(self):
        cases = {
            "whiteout": (Member(b"root/opt/w", b"3"), "root/opt/w", "devices"),
            "disk": (Member(b"root/opt/sda", b"4", numbers=(8, 0)), "root/opt/sda", "devices"),
            "null device": (Member(b"root/opt/null", b"3", numbers=(1, 3)), "devices"),
            "pipe": (Member(b"root/opt/p", b"6"), "root/opt/p", "devices"),
            "owner beyond the block": (Member(b"root/opt/x", uid=65536, data=b"x"), "root/opt/x", "owner"),
            "owner of 32 bits": (Member(b"root/opt/x", uid=2 ** 32, data=b"x"), "root/opt/x", "owner"),
            "negative owner": (Member(b"root/opt/x", uid=-1, data=b"x"),),
            "owner in an extended header": (Member(b"root/opt/x", data=b"x", pax=((b"uid", b"4294967296"),)), "root/opt/x", "owner"),
        }
        for what, (member, *words) in cases.items():
            self.check_import_refused(what, self.added(member), *words)

        def check_set_id(root):
            self.assertEqual(os.stat(f"{root}/opt/su").st_mode & 0o7777, 0o4755)
            self.assertEqual(os.stat(self.cove.state + "/templates").st_mode & 0o077, 0, "no user of the host reaches it")

        with_judge = next(member for member in self.members if member.name == JUDGE).data
        for mode in (0o4755, 0o2755):
            self.check_sealed(f"mode {mode:o}", self.right_with(Member(b"root/opt/su", mode=mode, data=with_judge)),
                              check_set_id if mode == 0o4755 else None, run=("/opt/su",))

    def test_attributes_are_dropped(self):
        """File capabilities, overlay attributes and access lists, in each way that tar has of saying them."""
        capability = b"\x01\x00\x00\x02\xff\xff\xff\xff" + b"\0" * 12
        pairs = [(b"SCHILY.xattr." + name, value) for name, value in (
            (b"security.capability", capability), (b"trusted.overlay.opaque", b"y"), (b"trusted.overlay.redirect", b"/etc"),
            (b"trusted.overlay.metacopy", b""), (b"user.overlay.opaque", b"y"), (b"user.overlay.whiteout", b""), (b"user.any", b"x"))]
        pairs += [(b"LIBARCHIVE.xattr.security.capability", b"AQAAAv////8AAAAAAAAAAAAAAAA"),
                  (b"SCHILY.acl.access", b"user::rwx,user:1000:rwx,group::rwx,mask::rwx,other::rwx"),
                  (b"SCHILY.acl.default", b"user::rwx,group::rwx,other::rwx"), (b"SCHILY.fflags", b"append,immutable")]

        def check_bare(root):
            for name in ("dir", "file"):
                self.assertEqual(os.listxattr(f"{root}/opt/{name}x", follow_symlinks=False), [])

        self.check_sealed("attributes", self.right_with(Member(b"root/opt/dirx", b"5", 0o755, pax=tuple(pairs)),
                                                   Member(b"root/opt/filex", mode=0o755, data=b"f", pax=tuple(pairs))), check_bare)

    def test_sizes(self):
        small = Member(b"root/opt/x", data=b"x")
        cases = {
            "one TiB": (b"\x80\0\0\0\0\0\x01\0\0\0\0\0", "root/opt/x", "more bytes than announced"),
            "minus one": (b"\xff" * 12,),
            "the largest number": (b"\x80" + b"\x7f" + b"\xff" * 10,),
            "no number": (b"zzzzzzzzzzz\0",),
            "more than there is": (1 << 20,),
        }
        for what, (size, *words) in cases.items():
            member = copy.copy(small)
            member.size = size
            self.check_import_refused(what, self.added(member), *words)
        self.check_import_refused("a size in an extended header", self.added(Member(b"root/opt/x", data=b"x", pax=((b"size", b"99999999999999"),))), "bytes")
        whole = exported.archive(exported.meta_text(self.fields, self.environment), self.members)
        for length in (100, 700, len(whole) // 2, len(whole) - 1024 - 100):
            self.check_import_refused(f"cut after {length} bytes", whole[:length], "archive")
        self.check_import_refused("cut between two members", whole[:-1024 - 512])
        self.check_import_refused("compressed and cut", self.real[:len(self.real) // 2], "archive")
        for what, entries, word in (("less announced", int(self.fields["entries"]) - 1, "more members than announced"),
                                    ("more announced", int(self.fields["entries"]) + 1, "changed or damaged")):
            meta = exported.meta_text(self.fields | {"entries": entries}, self.environment)
            self.check_import_refused(what, exported.archive(meta, self.members), word, by_digest=True)
        meta = exported.meta_text(self.fields | {"bytes": int(self.fields["bytes"]) - 1}, self.environment)
        self.check_import_refused("fewer bytes announced", exported.archive(meta, self.members), "more bytes than announced")

    def test_sparse_files(self):
        size = b"1099511627776"
        forms = {
            "0.0": ((b"GNU.sparse.size", size), (b"GNU.sparse.numblocks", b"1"), (b"GNU.sparse.offset", b"1099511627264"), (b"GNU.sparse.numbytes", b"512")),
            "0.1": ((b"GNU.sparse.size", size), (b"GNU.sparse.numblocks", b"1"), (b"GNU.sparse.map", b"1099511627264,512")),
            "1.0": ((b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"), (b"GNU.sparse.name", b"root/opt/s"), (b"GNU.sparse.realsize", size)),
        }
        for form, pax in forms.items():
            data = b"1\n1099511627264\n512\n".ljust(512, b"\0") + b"x" * 512 if form == "1.0" else b"x" * 512
            self.check_import_refused(f"sparse {form}", self.added(Member(b"root/opt/s", data=data, pax=pax)))
        old = bytearray(Member(b"root/opt/s", b"S", data=b"x" * 512).encode())
        old[257:265] = b"ustar  \0"
        old[386:410] = b"%011o\0%011o\0" % (1 << 30, 512)
        old[483:495] = b"%011o\0" % ((1 << 30) + 512)
        old[148:156] = b" " * 8
        old[148:156] = b"%06o\0 " % sum(old[:512])
        whole = exported.archive(exported.meta_text(self.fields | {"entries": 100, "bytes": 1 << 30}, self.environment), self.members, b"")
        self.check_import_refused("sparse of the old form", whole + bytes(old) + b"\0" * 1024, "root/opt/s", "sparse")

    def test_bombs(self):
        """Little to send, much to unpack: refused by what is announced, and never held in memory."""
        meta = exported.meta_text(self.fields | {"bytes": 12 << 30}, self.environment)
        bomb = exported.archive(meta, self.members + [Member(b"root/opt/zero", data=b"\0" * (64 << 20))])
        small = exported.compressed(bomb)
        self.assertLess(len(small), 1 << 20)
        self.check_import_refused("12 GiB out of a megabyte", small, "200")
        more = {"bytes": int(self.fields["bytes"]) + 1000, "entries": int(self.fields["entries"]) + 1}
        meta = exported.meta_text(self.fields | more, self.environment)
        bomb = exported.archive(meta, self.members + [Member(b"root/opt/zero", data=b"\0" * (64 << 20))])
        self.check_import_refused("more than announced", exported.compressed(bomb), "root/opt/zero", "more bytes than announced")
        many = b"".join(Member(b"root/opt/%d" % index).encode() for index in range(200_000))
        data = exported.archive(exported.meta_text(self.fields, self.environment), self.members, many + b"\0" * 1024)
        self.check_import_refused("200,000 members more than announced", exported.compressed(data), "root/opt/0", "more members than announced")
        wide = exported.compressed(data, "--ultra", "-22", "--long=31", "--no-check", "--single-thread") if len(data) < 1 << 20 else b""
        header = b"\x28\xb5\x2f\xfd\x00\xa8"  # a frame whose window is 2 GiB
        self.check_import_refused("a window of 2 GiB", wide or header + exported.compressed(b"x")[6:], "archive")
        name = Member(b"root/opt/x", pax=((b"path", b"root/" + b"x" * (8 << 20)),), data=b"x")
        self.check_import_refused("a name of 8 MiB", exported.compressed(self.added(name)), "archive")
        name = Member(b"root/opt/x", gnu_name=b"root/" + b"x" * (8 << 20), data=b"x")
        self.check_import_refused("a GNU name of 8 MiB", exported.compressed(self.added(name)))
        pax = tuple((b"SCHILY.xattr.user.%d" % index, b"x" * 100) for index in range(5000))
        self.check_import_refused("5,000 attributes", self.added(Member(b"root/../x", data=b"x", pax=pax)))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, MOST_MEMORY)

    def test_places_that_a_sandbox_is_set_up_on(self):
        link = {"kind": b"2", "mode": 0o777, "link": f"{self.scratch}/target".encode()}
        shapes = {"a link": link, "a file": {"data": b"x"}}
        for place in (b"dev", b"proc", b"sys", b"tmp", b"run", b"workspace", b"etc", b"home", b"usr", b"var", b"root", b"var/tmp"):
            for what, shape in shapes.items():
                data = self.edited(lambda members, place=place, shape=shape: replace(members, b"root/" + place, **shape))
                self.check_import_refused(f"/{place.decode()} is {what}", data, f"/{place.decode()}:", "directory")
            gone = [member for member in self.members if not (member.name + b"/").startswith(b"root/" + place + b"/")]
            self.check_import_refused(f"/{place.decode()} is missing", self.edited(lambda _, gone=gone: gone), f"/{place.decode()}:")
            fifo = self.edited(lambda members, place=place: replace(members, b"root/" + place, kind=b"6"))
            self.check_import_refused(f"/{place.decode()} is a pipe", fifo, f"root/{place.decode()}", "pipes")
        for name in (b"passwd", b"group", b"hosts", b"hostname", b"resolv.conf", b"machine-id"):
            data = self.edited(lambda members, name=name: replace(members, b"root/etc/" + name, kind=b"2", link=self.victim.encode()))
            self.check_import_refused(f"/etc/{name.decode()} is a link", data, f"/etc/{name.decode()}:", "file")
        for what, fields in {"/etc that all may write": {"mode": 0o777}, "/etc of the user": {"uid": 1000}}.items():
            def edit(members, fields=fields):
                for key, value in fields.items():
                    setattr(members[number_of(members, b"root/etc")], key, value)
                return members
            self.check_import_refused(what, self.edited(edit), "/etc:")
        self.check_import_refused("something in /dev", self.added(Member(b"root/dev/null", data=b"x")), "/dev:", "empty")

    def test_trees_that_are_taken_and_start_sealed(self):
        target = f"{self.scratch}/target".encode()

        def with_passwd(text):
            return self.right(lambda members: replace(members, b"root/etc/passwd", data=text))

        self.check_sealed("everybody is root", with_passwd(b"root:x:0:0::/:/bin/sh\nuser:x:0:0::/:/bin/sh\n"))
        self.check_sealed("a password file that is none", with_passwd(b"\0\xff::::\n" * 1000))
        self.check_sealed("an empty password file", with_passwd(b""))
        self.check_sealed("a counterfeit oldroot", self.right_with(Member(b"root/oldroot", b"2", 0o777, link=target), Member(b"root/.cove", b"2", 0o777, link=target)))

    def test_programs_that_cannot_start(self):
        def program(**fields):
            return self.right(lambda members: replace(members, JUDGE, mode=0o755, **fields))

        for what, edit in {"a link": lambda members: replace(members, b"root/home/user", kind=b"2", link=f"{self.scratch}/target".encode()),
                           "a file": lambda members: replace(members, b"root/home/user", data=b"x"),
                           "missing": lambda members: [one for one in members if one.name != b"root/home/user"]}.items():
            self.check_run_refused(f"a home that is {what}", self.right(edit), "/home/user")
        self.check_run_refused("a loop", program(kind=b"2", link=b"judge_own_root"), "judge_own_root")
        self.check_run_refused("a link out", program(kind=b"2", link=f"{self.scratch}/victim".encode()), "judge_own_root")
        self.check_run_refused("a directory", program(kind=b"5"), "judge_own_root")
        self.check_run_refused("no program", program(data=b""), "judge_own_root")
        self.check_run_refused("a shell that is missing", program(data=b"#!/bin/sh\n"), "judge_own_root")
        judge = bytearray(next(member for member in self.members if member.name == JUDGE).data)
        judge[18] = 0xFF  # of no machine
        self.check_run_refused("of another machine", program(data=bytes(judge)), "judge_own_root")
        dynamic = self.right(lambda members: replace(members, JUDGE, mode=0o755, data=self.read("/bin/true")) + [
            Member(b"root/lib64", b"5", 0o755), Member(b"root/lib64/ld-linux-x86-64.so.2", b"2", 0o777, link=b"ld-linux-x86-64.so.2")])
        self.check_run_refused("a loader that is a loop", dynamic, "judge_own_root")

    @staticmethod
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    def test_files_that_are_none(self):
        for what, path in {"a directory": self.scratch, "a device": "/dev/zero", "nothing": f"{self.scratch}/absent"}.items():
            with self.subTest(what):
                self.check_refused(self.cove.call("template", "import", path), 125 if what == "nothing" else 2, path)
        pipe = f"{self.scratch}/pipe"
        os.mkfifo(pipe)
        self.check_refused(self.cove.call("template", "import", pipe, timeout=20), 2, pipe)
        self.check_nothing_left("a pipe")

    def test_digests_do_not_depend_on_who_counts(self):
        """What is announced is what `sha256` says over the manifest, counted here and not by the product."""
        lines = []
        for member in sorted(self.members, key=lambda one: one.name.split(b"/")):
            path = member.name[5:]
            counted = b"%d:%s" % (len(path), path)
            owner = b"%d 0" % member.uid
            if member.kind == b"5":
                lines.append(b"d %d %s %s" % (member.mode, owner, counted))
            elif member.kind == b"2":
                lines.append(b"l %s %s %d:%s" % (owner, counted, len(member.link), member.link))
            elif member.kind == b"1":
                lines.append(b"h %s %d:%s" % (counted, len(member.link) - 5, member.link[5:]))
            else:
                lines.append(b"f %d %s %d %s %s" % (member.mode, owner, len(member.data), hashlib.sha256(member.data).hexdigest().encode(), counted))
        tree = hashlib.sha256(b"cove-tree 1\n" + b"".join(line + b"\n" for line in lines)).hexdigest()
        text = f"cove-template 1\n{tree}\nuser\n1000\n/home/user\nLANG=C.UTF-8\n"
        self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), self.fields["digest"])


if __name__ == "__main__":
    cove.main()
