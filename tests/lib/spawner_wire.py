"""The spawner's packets, written from their description and not with Cove's own code."""

import collections
import struct

MAGIC, VERSION = 0x45564F43, 3
CREATE, DESTROY, RETIRE_TEMPLATE, STATUS, STOP, WARM, ENTER_CONTEXT = range(1, 8)
NONE, READ_ONLY, READ_WRITE = 0, 1, 2
GONE, KILLED = 0, 1
UNKNOWN, OUT_OF_MEMORY = 0, 1

_HEADER = struct.Struct("<IIII")
_CREATE = struct.Struct("<72sIIQQIIIIII4096s")
_REPLY = struct.Struct("<IIiI512s24s108s72x24x12xI")

Reply = collections.namedtuple("Reply", "ok code errno message sandbox socket ended_as")


def header(kind, magic=MAGIC, version=VERSION, reserved=0):
    return _HEADER.pack(magic, version, kind, reserved)


def status():
    return header(STATUS)


def destroy(sandbox, until=GONE):
    return header(DESTROY) + struct.pack("<24sII", sandbox.encode(), until, 0)


def retire(digest):
    return header(RETIRE_TEMPLATE) + struct.pack("<72s", digest.encode())


def warm(digest):
    return header(WARM) + struct.pack("<72sII", digest.encode(), 0, 0)


def enter(sandbox, stream, language=0, unready=0, reserved=0):
    return header(ENTER_CONTEXT) + struct.pack("<24sIIII", sandbox.encode(), language, stream, unready, reserved)


def create_packet(root, workspace="", access=NONE, memory=128 << 20, **fields):
    return header(CREATE) + _CREATE.pack(fields.get("raw_root", root.encode()), fields.get("root_kind", 0), fields.get("mode", 0), memory,
                                         fields.get("disk", 0), fields.get("cpu_millis", 1000), fields.get("max_pids", 64), access,
                                         fields.get("weaken", 0), fields.get("furniture", 0), 0, workspace.encode())


def ask(client, packet):
    """One exchange. None: the spawner has closed the connection without an answer."""
    client.send(packet)
    data = client.recv(1 << 16)
    return parse(data) if data else None


def parse(data):
    magic, version, _, _ = _HEADER.unpack_from(data)
    if (magic, version) != (MAGIC, VERSION):
        raise AssertionError(f"not a reply: {data[:32]!r}")
    ok, code, errno, _, message, sandbox, path, ended_as = _REPLY.unpack_from(data, _HEADER.size)
    return Reply(ok == 1, code, errno, *(text.rstrip(b"\0").decode() for text in (message, sandbox, path)), ended_as)


def create(instance, **fields):
    """Asks the instance's spawner, starting one when there is none."""
    if instance.spawner_pid() is None:
        instance.run("--", "true")
    with instance.connect() as client:
        return ask(client, create_packet(instance.digest(), **fields))
