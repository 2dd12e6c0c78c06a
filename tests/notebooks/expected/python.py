"""What cells/python.py tells, cell by cell, with INPUT as its input and the wheelhouse as its workspace."""

from expected.events import (Ascending, Cell, Exactly, Has, Length, Like, Png, Table, Texts, clear_output, display, ended, err, error, failed, notice, out, result,
                             update_display)

CHART = "application/vnd.cove.chart+json"
FRAME = "application/vnd.cove.dataframe+json"
PLOTLY = "application/vnd.plotly.v1+json"
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
LABELS = {"x_label": None, "y_label": None, "x_unit": None, "y_unit": None}
AXES = {**LABELS, "x_ticks": Ascending(), "x_tick_labels": Texts(), "x_scale": "linear", "y_ticks": Ascending(), "y_tick_labels": Texts(), "y_scale": "linear"}
PLOTLY_HTML = Like(r"^<div .*Plotly\.newPlot\(.*</div>\s*$")
HTML = "<IPython.core.display.HTML object>"


def chart(kind, *elements, title=None, axes=None):
    return {"type": kind, "title": title, **(axes or {}), "elements": list(elements)}


def points(label, *pairs):
    return {"label": label, "points": [list(pair) for pair in pairs]}


def bar(label, value, group="Group 0"):
    return {"label": label, "group": group, "value": value}


def figure(content, size="640x480", axes="1 Axes", image=None):
    """A figure that is shown: its text, its picture and what is in it."""
    return display(f"<Figure size {size} with {axes}>", {**(image or {"image/png": Png()}), CHART: content})


def traceback_of(cell, line, *parts):
    """IPython's, from its head to the line of the cell that is at fault."""
    return ("Traceback (most recent call last)", f"Cell In[{cell}], line {line}", *parts)


STATE = [
    Cell("the working directory is the workspace, which is read-only here: go home", out("/home/user\n")),
    Cell("names outlive their cell"),
    Cell("the value of the last expression is the result", result("42")),
    Cell("a semicolon hides it"),
    Cell("None is no result"),
    Cell("earlier results have names", result("(84, 'x = 6')")),
    Cell("only the last expression counts", result("'three'")),
    Cell("a cell that is indented as a whole is dedented", result("6")),
    Cell("a class and an object whose repr is its address", result(Like(r"^<__main__\.Plain at 0x[0-9a-f]+>$"))),
    Cell("imports outlive their cell, and plain data is also data",
         result("{'pi': 3.142, 'list': [1, None, True], 'text': 'ä'}", json={"pi": 3.142, "list": [1, None, True], "text": "ä"})),
    Cell("JSON has no word for these, so there is only text", result("[nan, inf, (1, 2), {3}]")),
    Cell("unicode: combining marks, emoji, right to left, and half a surrogate pair",
         out("naïve 日本語 🧪 שלום e\u0301 \\ud800\n"), result("'𝔘nicode ✓'")),
]

OUTPUT = [
    Cell("print, os.write, a child and C code write in order", out("1 print\n2 os.write\n3 child\n4 C\n5 print\n")),
    Cell("so they do on stderr", err("1 print\n2 os.write\n3 child\n4 write\n")),
    Cell("what is displayed stands between what is printed before and after it, on both streams",
         out("out 1\n"), err("err 1\n"), display("'first'"), out("out 2\n"), display("'second'"), err("err 2\n"), result("'last'")),
    Cell("a line without an end, and bytes that are no UTF-8", out("caf"), display("None"), out("é \ufffd\nhalf a line")),
    Cell("threads print", out("thread 0\nthread 1\nthread 2\n")),
    Cell("an exception in a thread is told and ends nothing",
         err(Like(r"^Exception in thread worker:\nTraceback .*, line 1, in <lambda>\n    thread = threading.Thread\(.*\nZeroDivisionError: division by zero\n$")),
         result("'goes on'")),
    Cell("a forked child prints, and what it does at its end is not the cell's", out("child\nstatus 7\n")),
    Cell("multiprocessing, with functions of the notebook", result("[0, 2, 4, 6, 8]", json=[0, 2, 4, 6, 8])),
    Cell("a logger and a warning go to stderr",
         err(Like(r'^WARNING:root:logged\n<ipython-input-21-[0-9a-f]+>:3: UserWarning: warned\n  warnings.warn\("warned"\)\n$'))),
]

DISPLAYS = [
    Cell("display() of several things",
         display(HTML, {"text/html": "<b>bold</b>"}),
         display("<IPython.core.display.Markdown object>", {"text/markdown": "# Title"}),
         display("<IPython.core.display.Latex object>", {"text/latex": "$x^2$"}),
         display("<IPython.core.display.Math object>", {"text/latex": r"$\displaystyle \frac{1}{2}$"})),
    Cell("vector graphics",
         result("<IPython.core.display.SVG object>", {"image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'})),
    Cell("JSON",
         result("<IPython.core.display.JSON object>", json={"a": [1, None]}, metadata={"application/json": {"expanded": False, "root": "root"}})),
    Cell("an object that has HTML, LaTeX and Markdown of its own",
         result("Rich()", {"text/html": "<i>rich</i>", "text/latex": r"$\rho$", "text/markdown": "*rich*"})),
    Cell("an object that has a picture of its own", result("a dot", {"image/png": DOT})),
    Cell("an object that makes the whole bundle, with metadata",
         result("a bundle", {"application/x-own+json": {"k": 1}}, {"application/x-own+json": {"w": 2}})),
    Cell("an object that displays itself", out("it is me\n")),
    Cell("a representation that fails is told; the others are shown",
         error("ValueError", "no HTML today", *traceback_of(29, 3, 'def _repr_html_(self): raise ValueError("no HTML today")', "ValueError: no HTML today")),
         result("broken"), ends=failed()),
    Cell("a display is updated",
         display("'waiting'", display_id="progress"), update_display("progress", "'working'"),
         update_display("progress", HTML, {"text/html": "<b>done</b>"})),
    Cell("output is cleared", out("gone\n"), clear_output(True), out("stays\n"), clear_output(False)),
    Cell("a picture from bytes, with a size",
         display("<IPython.core.display.Image object>", {"image/png": DOT}, {"image/png": {"width": 20}})),
    Cell("output is captured and shown later", result(r"('caught\n', 1)")),
]

MAGICS = [
    Cell("a shell command, its streams, its status", out("out\n"), err("err\n")),
    Cell("the status, a variable in a command, and its lines as a value", result("(3, ['6', '7'])")),
    Cell("line magics: a new directory", result("'/home/user/work'")),
    Cell("the directory is that of commands, too, and lasts", out("/home/user/work\ndeep\n")),
    Cell("back again", out("/home/user\n")),
    Cell("timing", out(Like(r"^(The slowest run took [^\n]*\n)?[\d.]+ [nμm]?s ± [\d.]+ [nμm]?s per loop \(mean ± std\. dev\. of 3 runs, 2 loops each\)\n$"))),
    Cell("timing of a cell, with its value", out(Like(r"^CPU times: .*total: [\d.]+ [nμm]?s\nWall time: [\d.]+ [nμm]?s\n$")), result("45")),
    Cell("a cell of Bash", out("bash 1\nbash 2\n"), err("to stderr\n")),
    Cell("a cell of Bash that fails",
         out("before\n"),
         error("CalledProcessError", r"Command 'b'echo before\nexit 4\n\n'' returned non-zero exit status 4.",
               *traceback_of(42, 1, "run_cell_magic('bash'", "CalledProcessError: Command", "returned non-zero exit status 4.")),
         ends=failed()),
    Cell("a cell becomes a file", out("Writing helper.py\n")),
    Cell("the file is a module at once", result("'helped'")),
    Cell("it can be run, too", result("'helped'")),
    Cell("an environment variable for this context and its children", out("env: COVE_COLOUR=red\nred\nred\n")),
    Cell("which names of a kind there are", out("clear_output\t display\t double\t help\t update_display\t work\t \n")),
    Cell("history", out("   2:\nx = 6\ndef double(n):\n    return 2 * n\n   3: double(x) + 30\n")),
    Cell("help on an object", display(Like(r"^Signature: double\(n\)\nDocstring: <no docstring>\nFile: .*<ipython-input-2-[0-9a-f]+>\nType: +function$"))),
    Cell("a magic that does not exist",
         error("UsageError", "Line magic function `%nosuch` not found.", Exactly("UsageError: Line magic function `%nosuch` not found.")), ends=failed()),
]

AWAITS = [
    Cell("top-level await", result("42")),
    Cell("a task outlives its cell", result("False")),
    Cell("and is awaited in the next one", result("(42, True)")),
    Cell("async for, async with, gather, run", out("0\n1\n[42, 42]\n"), result("42")),
    Cell("an error after an await",
         error("LookupError", "after the await", *traceback_of(55, 2, '----> 2 raise LookupError("after the await")', "LookupError: after the await")), ends=failed()),
]

ERRORS = [
    Cell("a syntax error shows the line and the place",
         error("SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='? (Cell In[56], line 2)", Exactly(
             "  Cell In[56], line 2\n    if y = 2:\n       ^\nSyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?\n")), ends=failed()),
    Cell("so does wrong indentation",
         error("IndentationError", "expected an indented block after function definition on line 1 (Cell In[57], line 2)", Exactly(
             "  Cell In[57], line 2\n    return 1\n    ^\nIndentationError: expected an indented block after function definition on line 1\n")), ends=failed()),
    Cell("nothing of a cell with a syntax error is run",
         error("NameError", "name 'y' is not defined", *traceback_of(58, 1, "----> 1 y", "NameError: name 'y' is not defined")), ends=failed()),
    Cell("an exception shows the user's lines, through functions of earlier cells",
         out("before\n"),
         error("ZeroDivisionError", "division by zero", Exactly(
             "---------------------------------------------------------------------------\n"
             "ZeroDivisionError                         Traceback (most recent call last)\n"
             "Cell In[59], line 8\n      5     return divide(1, 0)\n      7 print(\"before\")\n----> 8 outer()\n      9 print(\"never\")\n\n"
             "Cell In[59], line 5, in outer()\n      4 def outer():\n----> 5     return divide(1, 0)\n\n"
             "Cell In[59], line 2, in divide(a, b)\n      1 def divide(a, b):\n----> 2     return a / b\n\n"
             "ZeroDivisionError: division by zero")), ends=failed()),
    Cell("chained causes",
         error("RuntimeError", "cannot read the number", *traceback_of(
             60, 2, '----> 2     int("twelve")', "ValueError: invalid literal for int() with base 10: 'twelve'",
             "The above exception was the direct cause of the following exception:", "Cell In[60], line 4",
             '----> 4     raise RuntimeError("cannot read the number") from problem', "RuntimeError: cannot read the number")), ends=failed()),
    Cell("an error while another is handled",
         error("NameError", "name 'undefined_name' is not defined", *traceback_of(
             61, 2, '----> 2     {}["missing"]', "KeyError: 'missing'", "During handling of the above exception, another exception occurred:",
             "Cell In[61], line 4", "----> 4     undefined_name", "NameError: name 'undefined_name' is not defined")), ends=failed()),
    Cell("several errors at once",
         error("ExceptionGroup", "several (2 sub-exceptions)", 'File "Cell In[62]", line 1, in <module>', "raise ExceptionGroup(",
               "ExceptionGroup: several (2 sub-exceptions)", "ValueError: one", "TypeError: two"), ends=failed()),
    Cell("an assertion, and an exception of one's own whose text has colours",
         error("Oops", "\x1b[31mred\x1b[0m", *traceback_of(63, 4, r'----> 4 raise Oops("\x1b[31mred\x1b[0m")', "Oops: red")), ends=failed()),
    Cell("an error inside a library shows where it was called",
         error("JSONDecodeError", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)", *traceback_of(
             64, 1, '----> 1 json.loads("{")', "/json/__init__.py:", "/json/decoder.py:", "JSONDecodeError: Expecting property name")), ends=failed()),
    Cell("endless recursion is an error like others",
         error("RecursionError", "maximum recursion depth exceeded", *traceback_of(
             65, 3, "----> 3 forever(0)", "line 2, in forever(n)", "----> 2     return forever(n + 1)", "frames between the first and the last 30 are left out",
             "RecursionError: maximum recursion depth exceeded")), ends=failed()),
    Cell("the state is as before", result("(6, 'no y')")),
    Cell("input() reads what was given, line by line", out("Name? "), result("['Ada', 'Lovelace']", json=["Ada", "Lovelace"])),
    Cell("sys.stdin is the same text, from the beginning in each cell", result(r"'Ada\nLovelace\n'")),
    Cell("reading past its end says so",
         error("EOFError", "input(): the stdin given to this execution has been read to its end", *traceback_of(
             69, 2, "----> 2     input()", "EOFError: input(): the stdin given")), ends=failed()),
    Cell("sys.exit ends the cell with its code", out("leaving\n"), error("SystemExit", "5", Exactly("SystemExit: 5")), ends=failed(5)),
    Cell("with a text", err("no more\n"), error("SystemExit", "no more", Exactly("SystemExit: no more")), ends=failed(1)),
    Cell("with nothing it is no error"),
    Cell("the context is still there", result("6")),
]

FIGURES = [
    Cell("the first figure: a line, with labels and units",
         figure(chart("line", points("growth", (1, 2), (2, 4), (3, 8)), title="Growth", axes={
             "x_label": "time (s)", "y_label": "size [mm]", "x_unit": "s", "y_unit": "mm",
             "x_ticks": [0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25],
             "x_tick_labels": ["0.75", "1.00", "1.25", "1.50", "1.75", "2.00", "2.25", "2.50", "2.75", "3.00", "3.25"], "x_scale": "linear",
             "y_ticks": [1, 2, 3, 4, 5, 6, 7, 8, 9], "y_tick_labels": ["1", "2", "3", "4", "5", "6", "7", "8", "9"], "y_scale": "linear"})),
         out("after the figure\n")),
    Cell("points, shown at the end of the cell without a call", figure(chart("scatter", points("seen", (1, 3), (2, 4)), axes=AXES))),
    Cell("bars; the figure is the value, and is shown once",
         result("<Figure size 400x300 with 1 Axes>", {"image/png": Png(), CHART: chart("bar", bar("a", 1), bar("b", 2), axes={**LABELS, "y_label": "count"})})),
    Cell("no figure is left open", result("([], 'count')")),
    Cell("a pie", figure(chart("pie", {"label": "small", "angle": 90, "radius": 1}, {"label": "large", "angle": 270, "radius": 1}))),
    Cell("a box plot with an outlier",
         figure(chart("box_and_whisker", {"label": "sample", "min": 1, "first_quartile": 2, "median": 3, "third_quartile": 4, "max": 4, "outliers": [20]}, axes=LABELS))),
    Cell("two charts in one figure, with dates and a logarithm",
         figure(chart("superchart",
                      chart("line", points("Line 0", ("2026-01-01", 1), ("2026-01-02", 2)), axes={**AXES, "x_scale": "datetime", "y_scale": "log"}),
                      chart("bar", bar("x", 5), axes=LABELS), title="Both"), axes="2 Axes")),
    Cell("two figures are two pictures, in order",
         figure(chart("line", points("one", (0, 1)), axes=AXES)), figure(chart("line", points("two", (0, 2)), axes=AXES))),
    Cell("a figure of a cell that fails is shown as well",
         error("ValueError", "after plotting", *traceback_of(82, 2, '----> 2 raise ValueError("after plotting")', "ValueError: after plotting")),
         figure(chart("line", points("Line 0", (0, 1), (1, 2)), axes=AXES)), ends=failed()),
    Cell("a figure as a vector graphic",
         figure(chart("line", points("Line 0", (0, 1), (1, 2)), axes=AXES), image={"image/svg+xml": Like(r"^<\?xml .*<svg .*</svg>\s*$")})),
]

FRAMES = [
    Cell("numbers", result("array([[0, 1, 2],\n       [3, 4, 5]])")),
    Cell("a data frame: text, HTML and data",
         result("  name   age  member\na  Ada  36.0    True\nb  Bob   NaN   False", {
             "text/html": Table(["", "name", "age", "member"], ["a", "Ada", "36.0", "True"], ["b", "Bob", "NaN", "False"]),
             FRAME: {"columns": ["name", "age", "member"], "dtypes": ["str", "float64", "bool"], "index": ["a", "b"],
                     "data": [["Ada", "Bob"], [36, None], [True, False]], "rows": 2}})),
    Cell("times and categories",
         result("        when kind\n0 2026-01-01    u\n1        NaT    v", {
             "text/html": Table(["", "when", "kind"], ["0", "2026-01-01", "u"], ["1", "NaT", "v"]),
             FRAME: {"columns": ["when", "kind"], "dtypes": ["datetime64[us]", "category"], "index": [0, 1],
                     "data": [["2026-01-01T00:00:00", None], ["u", "v"]], "rows": 2}})),
    Cell("a large one is abridged as text and HTML; the data is cut, and that is told",
         result(Like(r"^ +n\n0 +0\n.*\n\.\.\. +\.\.\.\n.*\n199999  199999\n\n\[200000 rows x 1 columns\]$"), {
             "text/html": Table(["", "n"], *([n, n] for n in ("0", "1", "2", "3", "4", "...", "199995", "199996", "199997", "199998", "199999"))),
             FRAME: {"columns": ["n"], "dtypes": ["int64"], "index": Length(100_000, 0, 99_999), "data": [Length(100_000, 0, 99_999)], "rows": 200_000}}),
         notice(f"{FRAME}: the first 100000 of 200000 rows")),
    Cell("grouping", result("member\nFalse     NaN\nTrue     36.0\nName: age, dtype: float64")),
    Cell("pandas plots with matplotlib", figure(chart("bar", bar("a", 36, "age"), bar("b", 0, "age"), axes=LABELS))),
]

PICTURES = [
    Cell("plotly",
         display("<plotly figure>", {
             PLOTLY: Has(data=[{"type": "scatter", "name": "line", "x": [1, 2], "y": [3, 4]}], layout=Has(title={"text": "Plotly"})),
             "text/html": PLOTLY_HTML})),
    Cell("plotly's show() is the same",
         display("<plotly figure>", {PLOTLY: Has(data=[{"type": "bar", "y": [1]}]), "text/html": PLOTLY_HTML})),
    Cell("altair",
         result("alt.Chart(...)", {
             "text/html": Like(r"vega-embed.*<script type=\"text/javascript\">"),
             "application/vnd.vegalite.v6+json": Has(mark={"type": "bar"}, encoding={"x": {"field": "a", "type": "quantitative"}})})),
    Cell("a picture of pillow",
         result("<PIL.Image.Image image mode=RGB size=3x2>", {"image/png": Png(3, 2), "image/jpeg": Like("^/9j/")})),
    Cell("sympy has LaTeX", result("Integral(x**2, x)", {"text/latex": r"$\displaystyle \int x^{2}\, dx$"})),
]

INSTALLS = [
    Cell("a package that is not there",
         error("ModuleNotFoundError", "No module named 'cove_tiny'", *traceback_of(
             95, 1, "----> 1 import cove_tiny", "ModuleNotFoundError: No module named 'cove_tiny'")), ends=failed()),
    Cell("it is installed from a wheelhouse into the user's home", out("Note: you may need to restart the kernel to use updated packages.\n")),
    Cell("and imported at once, in the same interpreter", result("(42, '/home/user/.local/lib/python3.13/site-packages/cove_tiny/__init__.py')")),
    Cell("its program is found, too", out("/home/user/.local/bin/cove-tiny\ncove-tiny 1.0\n")),
    Cell("a package that the wheelhouse lacks",
         err("ERROR: Could not find a version that satisfies the requirement cove-nosuch (from versions: none)\n"
             "ERROR: No matching distribution found for cove-nosuch\n"),
         result("1")),
]

LIMITS = [
    Cell("much output is cut and counted", out("".join(f"{i:05}\n" for i in range(40_000))[:100 << 10]), ends=ended(dropped=40_000 * 6 - (100 << 10))),
    Cell("a long value is cut and says so", result(Length(1 << 20, "'", "…")), notice("text/plain: cut to 1048576 characters")),
    Cell("what is left: the state of the whole notebook", result("(6, 42, 'Ada', (2, 3), '/home/user')")),
]

CELLS = [*STATE, *OUTPUT, *DISPLAYS, *MAGICS, *AWAITS, *ERRORS, *FIGURES, *FRAMES, *PICTURES, *INSTALLS, *LIMITS]
