"""Terminals over HTTP: a program at a terminal, several viewers, sizes, coming back."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import server
import websocket


class Seat:
    """One viewer: collects what is shown, and what is told."""

    def __init__(self, socket):
        self.socket = socket
        self.shown = b""
        self.told = []

    def until(self, text):
        while text not in self.shown:
            self.take()

    def take(self):
        message = self.socket.receive()
        if isinstance(message, bytes):
            self.shown += message
        else:
            self.told.append(json.loads(message))

    def to_the_end(self):
        try:
            while True:
                self.take()
        except websocket.Closed as closed:
            return closed.code


class Terminals(server.Test):
    @classmethod
    def set_up(cls):
        told = cls.api.post("/v1/sandboxes", {"template": "base", "ttl": 1200}, status=201).json
        cls.path = f"/v1/sandboxes/{told['id']}"

    def open(self, **wish):
        told = self.api.post(f"{self.path}/terminals", wish, status=201).json
        terminal = f"{self.path}/terminals/{told['id']}"
        self.addCleanup(lambda: self.api.delete(terminal))
        return terminal, told

    def sit(self, terminal, **query):
        socket = self.api.websocket(f"{terminal}/attach", query=query)
        self.addCleanup(socket.close)
        return Seat(socket)

    def test_a_shell(self):
        terminal, told = self.open(rows=30, columns=100, env={"PS1": "$ "})
        self.assertEqual((told["rows"], told["columns"], told["state"]), (30, 100, "running"))
        seat = self.sit(terminal)
        seat.socket.send(b"stty size; tty; echo a$((20 + 22))b\n")
        seat.until(b"a42b")
        self.assertIn(b"30 100", seat.shown)
        self.assertIn(b"/dev/pts/", seat.shown)
        seat.socket.send(b"exit 5\n")
        self.assertEqual(seat.to_the_end(), 1000)
        self.assertEqual(seat.told[-1], {"type": "ended", "cause": "error", "exit_code": 5, "signal": None})
        told = self.api.get(terminal).json
        self.assertEqual((told["state"], told["exit_code"]), ("ended", 5))

    def test_resizing_is_told_to_everybody(self):
        terminal, _ = self.open(argv=["bash", "-c", "trap 'stty size' WINCH; echo go; while :; do sleep 0.05; done"])
        first, second = self.sit(terminal), self.sit(terminal)
        first.until(b"go")
        second.until(b"go")
        first.socket.send(json.dumps({"type": "resize", "rows": 11, "columns": 33}))
        first.until(b"11 33")
        second.until(b"11 33")
        self.assertEqual(self.api.post(f"{terminal}/resize", {"rows": 12, "columns": 34}, status=200).json["rows"], 12)
        first.until(b"12 34")
        self.assertIn({"type": "resized", "rows": 11, "columns": 33}, second.told)
        self.assertEqual(self.api.get(terminal).json["viewers"], 2)

    def test_coming_back(self):
        terminal, _ = self.open(argv=["cat"])
        first = self.sit(terminal)
        first.socket.send(b"before\n")
        first.until(b"before\r\nbefore\r\n")
        first.socket.close()
        cove.wait_until(lambda: self.api.get(terminal).json["viewers"] == 0, "the viewer to be gone")
        again = self.sit(terminal, offset=len(first.shown))
        again.socket.send(b"after\n")
        again.until(b"after\r\nafter\r\n")
        self.assertEqual(again.shown, b"after\r\nafter\r\n")
        whole = self.sit(terminal)
        whole.until(b"after\r\nafter\r\n")
        self.assertEqual(whole.shown, b"before\r\nbefore\r\nafter\r\nafter\r\n")

    def test_keys_that_are_signals(self):
        terminal, _ = self.open(argv=["bash", "-c", "echo go; sleep 1000"])
        seat = self.sit(terminal)
        seat.until(b"go")
        seat.socket.send(b"\x03")
        self.assertEqual(seat.to_the_end(), 1000)
        self.assertNotEqual(seat.told[-1]["cause"], "ok")

    def test_hanging_up(self):
        terminal, told = self.open(argv=["sleep", "1000"])
        self.assertIn(told["id"], [one["id"] for one in self.api.get(f"{self.path}/terminals").json["items"]])
        seat = self.sit(terminal)
        self.api.delete(terminal, status=200)
        seat.to_the_end()
        self.assertEqual(seat.told[-1]["type"], "ended")
        cove.wait_until(lambda: self.api.get(terminal).json["state"] == "ended", "its end")

    def test_a_viewer_who_does_not_look_stalls_nobody(self):
        terminal, _ = self.open(argv=["bash", "-c", "read x; for i in $(seq 200000); do echo line $i; done; echo the-end; sleep 1000"])
        self.sit(terminal)  # never receives
        other = self.sit(terminal)
        other.socket.send(b"\n")
        other.until(b"the-end")

    def test_what_is_no_message_of_ours(self):
        for wrong in ("", "x", "[]", "{}", '{"type":"resize"}', '{"type":"resize","rows":0,"columns":1}', '{"type":"resize","rows":1e9,"columns":1}', '{"type":"other"}'):
            with self.subTest(message=wrong):
                terminal, _ = self.open(argv=["cat"])
                seat = self.sit(terminal)
                seat.socket.send(wrong)
                self.assertIn(seat.to_the_end(), (1003, 1007, 1008))
                self.assertEqual(self.api.get(terminal).json["state"], "running")

    def test_without_an_upgrade(self):
        terminal, _ = self.open(argv=["cat"])
        self.assertIn(self.api.call("GET", f"{terminal}/attach").status, (400, 426))

    def test_wrong_wishes(self):
        for wish in ({"rows": 0}, {"rows": 1001}, {"columns": -1}, {"rows": 1.5}, {"rows": "24"}, {"command": "a", "argv": ["a"]}, {"more": 1}):
            with self.subTest(wish=wish):
                self.check_error(self.api.post(f"{self.path}/terminals", wish), 400, "invalid_request")
        terminal, _ = self.open(argv=["cat"])
        for wish in ({}, {"rows": 1}, {"rows": 0, "columns": 1}):
            self.check_error(self.api.post(f"{terminal}/resize", wish), 400, "invalid_request")


if __name__ == "__main__":
    server.main()
