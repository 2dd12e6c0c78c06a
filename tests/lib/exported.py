"""Exported templates as bytes: taken apart, edited member by member, and put together again.

Nothing here obeys the rules of tar. A member is written as it is said to be, so that an archive can lie in every field that
the format has; the header's checksum is right, because a wrong one would be all that a reader ever looks at.
"""

import dataclasses
import io
import subprocess
import tarfile

META = b"cove-template"
FORMAT = b"cove-template 1\n"
BLOCK = 512


@dataclasses.dataclass
class Member:
    name: bytes
    kind: bytes = b"0"
    mode: int = 0o644
    uid: int = 0
    data: bytes = b""
    link: bytes = b""
    size: object = None  # bytes of the size field, or a number; the length of the data unless told
    pax: tuple = ()  # (key, value) pairs of an extended header in front of it
    gnu_name: bytes = b""  # a GNU long-name member in front of it
    numbers: tuple = (0, 0)  # of a device

    def encode(self):
        out = b""
        if self.gnu_name:
            out += Member(b"././@LongLink", b"L", data=self.gnu_name + b"\0").encode()
        if self.pax:
            out += Member(b"PaxHeaders/x", b"x", data=b"".join(record(*pair) for pair in self.pax)).encode()
        return out + self.header() + padded(self.data)

    def header(self):
        size = len(self.data) if self.size is None else self.size
        field = size if isinstance(size, bytes) else b"%011o\0" % size
        block = bytearray(BLOCK)
        places = ((0, self.name[:100]), (100, b"%07o\0" % self.mode), (108, number(self.uid)), (116, b"%07o\0" % 0),
                  (124, field[:12]), (136, b"%011o\0" % 0), (148, b" " * 8), (156, self.kind), (157, self.link[:100]),
                  (257, b"ustar\x0000"), (329, b"%07o\0" % self.numbers[0]), (337, b"%07o\0" % self.numbers[1]))
        for at, text in places:
            block[at:at + len(text)] = text
        block[148:156] = b"%06o\0 " % sum(block)
        return bytes(block)


def number(value):
    return b"%07o\0" % value if 0 <= value < 8 ** 7 else b"\x80" + value.to_bytes(7, "big", signed=value < 0)


def padded(data):
    return data + b"\0" * (-len(data) % BLOCK)


def record(key, value):
    """One line of an extended header, whose length counts itself."""
    text = b" " + key + b"=" + value + b"\n"
    length = len(text)
    while length != len(str(length)) + len(text):
        length = len(str(length)) + len(text)
    return str(length).encode() + text


def plain(name, data, **fields):
    """A member whatever the length of its name: in an extended header where the field is too short."""
    pax = fields.pop("pax", ())
    long = ((b"path", name),) if len(name) > 100 else ()
    return Member(name, data=data, pax=long + tuple(pax), **fields)


def archive(meta, members, end=b"\0" * 2 * BLOCK):
    """The bytes of an uncompressed export; `meta` is its text without the line that names the format."""
    return Member(META, data=FORMAT + meta).encode() + b"".join(member.encode() for member in members) + end


def compressed(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, capture_output=True, check=True).stdout


def meta_text(fields, environment=()):
    lines = [f"{key} = {value}" for key, value in fields.items()] + [f"environment = {one}" for one in environment]
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def take_apart(data):
    """(fields, environment, members) of what `cove template export` wrote."""
    text = subprocess.run(["zstd", "-q", "-d", "-c"], input=data, capture_output=True, check=True).stdout
    members = []
    with tarfile.open(fileobj=io.BytesIO(text), errors="surrogateescape", encoding="utf-8") as tar:
        for info in tar:
            content = tar.extractfile(info).read() if info.isreg() else b""
            members.append(Member(info.name.encode("utf-8", "surrogateescape"), info.type, info.mode, info.uid, content,
                                  info.linkname.encode("utf-8", "surrogateescape")))
    assert members[0].name == META and members[0].data.startswith(FORMAT), members[0]
    fields, environment = {}, []
    for line in members[0].data.removeprefix(FORMAT).decode().splitlines():
        key, _, value = line.partition(" = ")
        if key == "environment":
            environment.append(value)
        else:
            fields[key] = value
    return fields, environment, members[1:]
