"""Where events go: to the channel when there is one, behind everything that was printed before."""

from . import bundle
from .limits import BUNDLE, fit


class Outlet:
    def __init__(self, output):
        self.output = output
        self.channel = None
        self.errors = 0
        self._notes = []

    def begin(self):
        self.errors = 0
        self._notes.clear()

    def note(self, text):
        """A notice that follows the next event."""
        self._notes.append(text)

    def show(self, kind, data, metadata, **more):
        data = fit(data, self.note)
        if data:
            event = {"type": kind, "data": data, "metadata": metadata or {}, **more}
            pieces = bundle.pieces(event)
            size = sum(map(len, pieces))
            if size > BUNDLE:
                self.note(f"a value of {size} bytes is too large to be shown, {BUNDLE} are allowed: only its text is")
                pieces = bundle.pieces(dict(event, data={"text/plain": data.get("text/plain", "")}))
            self._send(pieces)
        self.tell_notes()

    def clear(self, wait):
        self._tell({"type": "clear_output", "wait": bool(wait)})

    def completeness(self, status):
        self._tell({"type": "completeness", "status": status})

    def error(self, name, value, traceback):
        self.errors += 1
        self._tell({"type": "error", "name": name, "value": value, "traceback": traceback})
        self.tell_notes()

    def tell_notes(self):
        notes, self._notes = self._notes, []
        for text in notes:
            self._tell({"type": "notice", "text": text})

    def say(self, verb, content):
        """A message that is not an event: ready, done."""
        self.output.flush()
        self.channel.send([(verb, [bundle.to_json(content)])])

    def _tell(self, event):
        self._send(bundle.pieces(event))

    def _send(self, pieces):
        if self.channel is None or not self.channel.is_mine():
            return
        self.output.flush()
        self.channel.send(bundle.payloads(pieces))
