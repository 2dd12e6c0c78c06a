"""text/plain of a value, never much longer than the limit, and without building what would be cut off again."""

import io

from IPython.core.formatters import PlainTextFormatter, catch_format_error
from IPython.lib import pretty

from .limits import TEXT


class _Full(BaseException):
    """The text is long enough. No Exception, so that no printer of user code swallows it."""


class _Bounded(io.StringIO):
    def __init__(self):
        super().__init__()
        self._room = TEXT - 1  # and the mark that it was cut

    def write(self, text):
        self._room -= len(text)
        if self._room < 0:
            super().write(text[:self._room])  # so many characters less
            raise _Full
        return super().write(text)


class BoundedText(PlainTextFormatter):
    """IPython's pretty printer with an end."""

    def __init__(self, note, **more):
        super().__init__(**more)
        self._note = note
        for kind in (str, bytes, bytearray):
            self.for_type(kind, _print_sequence)

    @catch_format_error
    def __call__(self, obj):
        __tracebackhide__ = True
        stream = _Bounded()
        try:
            if self.pprint:
                self._print(obj, stream)
            else:
                stream.write(repr(obj))
        except _Full:
            self._note(f"text/plain: cut to {TEXT} characters")
            return stream.getvalue() + "…"
        return stream.getvalue()

    def _print(self, obj, stream):
        __tracebackhide__ = True
        printer = pretty.RepresentationPrinter(
            stream, self.verbose, self.max_width, self.newline, max_seq_length=self.max_seq_length,
            singleton_pprinters=self.singleton_printers, type_pprinters=self.type_printers,
            deferred_pprinters=self.deferred_printers)
        printer.pretty(obj)
        printer.flush()


def _print_sequence(value, printer, _cycle):
    """A text of a gigabyte is cut before its repr is made."""
    if len(value) > TEXT:
        printer.text(repr(value[:TEXT]))
        printer.flush()
        raise _Full
    printer.text(repr(value))


def _print_repr(value, printer, _cycle):
    """A class's own repr: IPython's way, but what is too long is cut before it is split into lines."""
    __tracebackhide__ = True
    text = repr(value)
    if len(text) > TEXT:
        printer.text(text[:TEXT])
        printer.flush()
        raise _Full
    with printer.group():
        for number, line in enumerate(text.splitlines()):
            if number:
                printer.break_()
            printer.text(line)


def bound_reprs():
    """IPython's printer looks this function up in its module, and has no other place to put one."""
    pretty._repr_pprint = _print_repr
