"""A Python context as a notebook: state, results, displays, magics, awaits, errors. Every event of every cell is asserted."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from environments import RUNTIMES, python_with_ipython  # noqa: E402
from expect import FAILED, JPEG, OK, PNG, Cells, Has, Like, Positive, ended, err, error, notice, out  # noqa: E402

CHART = "application/vnd.cove.chart+json"
FRAME = "application/vnd.cove.dataframe+json"
FIGURE = Like(r"^<Figure size \d+x\d+ with \d+ Axes>$")


class PythonCells(Cells):
    @classmethod
    def command(cls):
        return [python_with_ipython(), "-B", os.path.join(RUNTIMES, "python", "start.py")]

    def value(self, code, count, **data):
        """A cell whose only event is its value."""
        self.cell(code, self.result(count, **data), OK)

    def result(self, count, text=None, more=None, metadata=None):
        data = {} if text is None else {"text/plain": text}
        return {"type": "result", "data": {**data, **(more or {})}, "metadata": metadata or {}, "execution_count": count}

    def display(self, data, kind="display", display_id=None, metadata=None):
        return {"type": kind, "data": data, "metadata": metadata or {}, "display_id": display_id}


class State(PythonCells):
    def test_it_says_what_it_is(self):
        self.assertEqual(self.runtime.ready, {"language": "python", "version": Like(r"^3\.\d+"), "protocol": 1})

    def test_state_and_values(self):
        self.value("1 + 1", 1, text="2")
        self.cell("x = 41", OK)
        self.value("x + 1", 3, text="42")
        self.value("_ * 2, __", 4, text="(84, 2)")
        self.cell("def double(n):\n    return 2 * n\nclass Point:\n    def __repr__(self): return 'a point'", OK)
        self.value("double(x), Point()", 6, text="(82, a point)")
        self.cell("x;", OK)
        self.cell("None", OK)
        self.cell("", OK)
        self.cell("# only a comment", OK)
        self.value("Out[3]", 10, text="42")
        self.value("    y = 5\n    y", 11, text="5")
        self.value("'text', b'bytes', 1.5, {1: 'a'}, {2}", 12, text="('text', b'bytes', 1.5, {1: 'a'}, {2})")
        self.value("[1, {'a': None}]", 13, text="[1, {'a': None}]", more={"application/json": [1, {"a": None}]})
        self.value("{'nan': float('nan')}", 14, text="{'nan': nan}")
        self.value("'ünïcödé ✓', __name__", 15, text="('ünïcödé ✓', '__main__')")
        self.value("import sys; sys.argv, sys.path[0], 'COVE_CHANNEL' in __import__('os').environ", 16, text="([''], '', False)")
        self.value("if True:\n    1\n2", 17, text="2")


class Output(PythonCells):
    def test_in_order(self):
        self.cell("print('one')\nprint('two')", out("one\ntwo\n"), OK)
        self.cell("import sys\nprint('bad', file=sys.stderr)", err("bad\n"), OK)
        self.cell("print('a')\ndisplay(1)\nprint('b')\n2",
                  out("a\n"), self.display({"text/plain": "1"}), out("b\n"), self.result(3, "2"), OK)
        self.cell("import os\nprint('python')\nos.write(1, b'descriptor\\n')\nos.system('echo child')\nprint('python')",
                  out("python\ndescriptor\nchild\npython\n"), OK)
        self.cell("import ctypes\nctypes.CDLL(None).printf(b'from C\\n')\nprint('then python')", out("from C\nthen python\n"), OK)
        self.cell("ctypes.CDLL(None).printf(b'no line end')\nNone", out("no line end"), OK)
        self.cell("import threading\nt = threading.Thread(target=print, args=('thread',))\nt.start(); t.join()", out("thread\n"), OK)
        self.cell("print('half', end='')", out("half"), OK)
        self.cell("os.write(1, bytes([0xff, 0xfe, 10]))\nNone", out("��\n"), OK)
        self.cell("print('\\ud800')", out("\\ud800\n"), OK)
        self.cell("import warnings\nwarnings.warn('careful')", err(Like("UserWarning: careful")), OK)
        self.cell("import subprocess\nsubprocess.run(['sh', '-c', 'echo out; echo err >&2'])\nNone", out("out\n"), err("err\n"), OK)


class Displays(PythonCells):
    def test_rich(self):
        self.cell("from IPython.display import *\ndisplay(HTML('<b>x</b>'), Markdown('# h'), Latex('$x$'), Math('y'))",
                  self.display({"text/plain": Like("HTML object"), "text/html": "<b>x</b>"}),
                  self.display({"text/plain": Like("Markdown object"), "text/markdown": "# h"}),
                  self.display({"text/plain": Like("Latex object"), "text/latex": "$x$"}),
                  self.display({"text/plain": Like("Math object"), "text/latex": "$\\displaystyle y$"}), OK)
        self.cell("SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>')",
                  self.result(2, Like("SVG object"), {"image/svg+xml": Like("^<svg")}), OK)
        self.cell("JSON({'a': [1, None]})", self.result(
            3, Like("JSON object"), {"application/json": {"a": [1, None]}}, {"application/json": {"expanded": False, "root": "root"}}), OK)
        self.cell("Javascript('1')", self.result(4, Like("Javascript object"), {"application/javascript": "1"}), OK)
        self.cell("class Own:\n    def _repr_html_(self): return '<i>'\n    def _repr_latex_(self): return '$z$'\nOwn()",
                  self.result(5, Like("Own"), {"text/html": "<i>", "text/latex": "$z$"}), OK)
        self.cell("class Bundle:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
                  "        return {'text/plain': 'p', 'application/x-own': {'k': float('inf')}}, {'application/x-own': {'w': 1}}\nBundle()",
                  self.result(6, "p", {"application/x-own": {"k": None}}, {"application/x-own": {"w": 1}}), OK)
        self.cell("class Self:\n    def _ipython_display_(self): print('myself')\nSelf()", out("myself\n"), OK)
        self.cell("handle = display('a', display_id='here')\nhandle.update('b')\nupdate_display('c', display_id='here')",
                  self.display({"text/plain": "'a'"}, display_id="here"),
                  self.display({"text/plain": "'b'"}, "update_display", "here"),
                  self.display({"text/plain": "'c'"}, "update_display", "here"), OK)
        self.cell("print('gone')\nclear_output(wait=True)\nprint('stays')\nclear_output()",
                  out("gone\n"), {"type": "clear_output", "wait": True}, out("stays\n"), {"type": "clear_output", "wait": False}, OK)
        self.cell("display({'text/plain': 'raw', 'image/png': 'aGVsbG8='}, raw=True, metadata={'image/png': {'width': 2}})",
                  self.display({"text/plain": "raw", "image/png": b"hello"}, metadata={"image/png": {"width": 2}}), OK)
        self.cell("%%capture caught\nprint('x'); display(1)", OK)
        self.value("caught.stdout, len(caught.outputs)", 12, text="('x\\n', 1)")
        self.cell("display(IFrame('/x', 1, 2))", self.display({"text/plain": Like("IFrame"), "text/html": Like("<iframe")}), OK)


class Figures(PythonCells):
    def figure(self, chart):
        return self.display({"text/plain": FIGURE, "image/png": PNG, CHART: chart})

    def test_figures(self):
        self.cell("import matplotlib.pyplot as plt", OK)
        self.cell("plt.plot([1, 2], [3, 4], label='a')\nplt.title('T'); plt.xlabel('time (s)'); plt.ylabel('speed [m/s]')\nplt.show()\nprint('after')",
                  self.figure(Has(type="line", title="T", x_label="time (s)", x_unit="s", y_unit="m/s", x_scale="linear", y_scale="linear",
                                  elements=[{"label": "a", "points": [[1.0, 3.0], [2.0, 4.0]]}])), out("after\n"), OK)
        self.cell("plt.scatter([1, 2], [3, 4]);", self.figure(Has(type="scatter", elements=[{"label": "Points 0", "points": [[1, 3], [2, 4]]}])), OK)
        self.cell("fig, ax = plt.subplots()\nax.bar(['a', 'b'], [1, 2])\nfig", self.result(
            4, FIGURE, {"image/png": PNG, CHART: Has(type="bar", elements=[
                {"label": "a", "group": "Group 0", "value": 1}, {"label": "b", "group": "Group 0", "value": 2}])}), OK)
        self.value("len(plt.get_fignums())", 5, text="0")
        self.cell("fig, ax = plt.subplots()\nax.barh(['u', 'v'], [3, 4]); ax.set_xlabel('size')\nNone", self.figure(
            Has(type="bar", y_label="size", elements=[Has(label="u", value=3), Has(label="v", value=4)])), OK)
        self.cell("plt.pie([1, 3], labels=['a', 'b']);", self.figure({"type": "pie", "title": None, "elements": [
            {"label": "a", "angle": 90, "radius": 1}, {"label": "b", "angle": 270, "radius": 1}]}), OK)
        box = {"label": "1", "min": 1, "first_quartile": 2, "median": 3, "third_quartile": 4, "max": 4, "outliers": [20]}
        for options in ("", ", patch_artist=True", ", orientation='horizontal'"):
            self.cell(f"plt.boxplot([[1, 2, 3, 4, 20]]{options});", self.figure(Has(type="box_and_whisker", elements=[box])), OK)
        self.cell("f, (one, two) = plt.subplots(1, 2)\none.plot([1]); two.bar(['x'], [5]); f.suptitle('both')\nNone", self.figure(
            {"type": "superchart", "title": "both", "elements": [Has(type="line"), Has(type="bar")]}), OK)
        self.cell("import datetime\nplt.plot([datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)], [1, 2])\nplt.show()", self.figure(
            Has(type="line", x_scale="datetime", elements=[Has(points=[["2024-01-01T00:00:00", 1], ["2024-01-02T00:00:00", 2]])])), OK)
        self.cell("plt.plot(['a', 'b'], [1, 2]); plt.yscale('log')\nplt.show()", self.figure(
            Has(x_scale="categorical", y_scale="log", elements=[Has(points=[["a", 1], ["b", 2]])])), OK)
        self.cell("plt.imshow([[1, 2]]);", self.figure(Has(type="unknown", elements=[])), OK)
        self.cell("plt.figure(); plt.plot([1]); plt.figure(); plt.plot([2]);", self.figure(Has(type="line")), self.figure(Has(type="line")), OK)
        self.cell("fig = plt.figure(); plt.plot([1]); fig.show(); print('shown')", self.figure(Has(type="line")), out("shown\n"), OK)
        self.cell("plt.plot([1])\n1 / 0", error("ZeroDivisionError", "division by zero"), self.figure(Has(type="line")), FAILED)
        self.cell("plt.figure()\nNone", OK)
        self.cell("import matplotlib; matplotlib.use('Agg'); plt.plot([1]); plt.show()", self.figure(Has(type="line")), OK)
        self.cell("%matplotlib inline\n%config InlineBackend.figure_format = 'svg'\nplt.plot([1]);",
                  self.display({"text/plain": FIGURE, "image/svg+xml": Like("<svg"), CHART: Has(type="line")}), OK)
        self.cell("%config InlineBackend.figure_format = 'retina'\nplt.plot([1]);", self.display(
            {"text/plain": FIGURE, "image/png": PNG, CHART: Has(type="line")}, metadata={"image/png": Has(width=Positive(), height=Positive())}), OK)


class Packages(PythonCells):
    def test_data_frames(self):
        self.cell("import pandas as pd, numpy as np", OK)
        self.cell("pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': [0.5, float('nan')]})", self.result(
            2, Like("a +b +c"), {"text/html": Like("<table"), FRAME: {
                "columns": ["a", "b", "c"], "dtypes": ["int64", Like("object|str"), "float64"], "index": [0, 1],
                "data": [[1, 2], ["x", None], [0.5, None]], "rows": 2}}), OK)
        self.cell("pd.DataFrame({'t': pd.to_datetime(['2024-01-01', None]), 'k': pd.Categorical(['u', 'v'])})", self.result(
            3, Like("2024"), {"text/html": Like("<table"), FRAME: Has(data=[["2024-01-01T00:00:00", None], ["u", "v"]])}), OK)
        self.cell("pd.DataFrame([[1, 2]], columns=['same', 'same'], index=pd.MultiIndex.from_tuples([('p', 1)]))", self.result(
            4, Like("same"), {"text/html": Like("<table"), FRAME: Has(columns=["same", "same"], data=[[1], [2]], index=["('p', 1)"])}), OK)
        self.cell("pd.DataFrame({'a': range(200_000)})", self.result(
            5, Like("199999"), {"text/html": Like("<table"), FRAME: Has(rows=200_000)}), notice(f"{FRAME}: the first 100000 of 200000 rows"), OK)
        self.cell("pd.Series([1, 2], name='s')", self.result(6, Like("Name: s")), OK)
        self.value("np.arange(3), np.float64(0.5)", 7, text="(array([0, 1, 2]), np.float64(0.5))")

    def test_pictures_and_charts(self):
        count = 8
        self.cell("from PIL import Image\nImage.new('RGB', (2, 2))",
                  self.result(count, Like("PIL.Image"), {"image/png": PNG, "image/jpeg": JPEG}), OK)
        self.cell("Image.new('L', (2, 2)).show()", self.display({"text/plain": Like("PIL.Image"), "image/png": PNG, "image/jpeg": JPEG}), OK)
        plotly = self.display({"text/plain": "<plotly figure>", "text/html": Like("<div"),
                               "application/vnd.plotly.v1+json": Has(data=[Has(type="scatter")])})
        self.cell("import plotly.graph_objects as go\nfig = go.Figure(go.Scatter(y=[1, 2]))\nfig", plotly, OK)
        self.cell("fig.show()", plotly, OK)
        self.cell("import altair as alt\nalt.Chart(pd.DataFrame({'a': [1]})).mark_bar().encode(x='a')", self.result(
            count + 4, Like("Chart"), {"text/html": Like("vega"), "application/vnd.vegalite.v6+json": Has(mark={"type": "bar"})}), OK)


class Magics(PythonCells):
    def test_magics(self):
        self.cell("!echo hello; echo bad >&2; exit 3", out("hello\n"), err("bad\n"), OK)
        self.value("_exit_code", 2, text="3")
        self.cell("word = 'w'\n!echo {word} $word", out("w w\n"), OK)
        self.cell("lines = !printf 'a\\nb\\n'\nlines", self.result(4, "['a', 'b']"), OK)
        self.cell("%mkdir sub\n%cd -q sub", OK)
        self.cell("%pwd", self.result(6, Like("/sub'$")), OK)
        self.cell("!basename $(pwd)", out("sub\n"), OK)
        self.cell("%cd ..", out(Like("cove-runtime-")), OK)
        self.cell("%timeit -n 1 -r 1 pass", out(Like("per loop")), OK)
        self.cell("%%time\nsum([1, 2])", out(Like("Wall time")), self.result(10, "3"), OK)
        self.cell("%%bash\necho from $((1 + 1)) bash\necho e >&2", out("from 2 bash\n"), err("e\n"), OK)
        self.cell("%%bash\nexit 4", error("CalledProcessError", Like("exit status 4")), FAILED)
        self.cell("%%writefile made.py\nvalue = 6", out("Writing made.py\n"), OK)
        self.cell("import made\nmade.value", self.result(14, "6"), OK)
        self.cell("%run made.py\nvalue", self.result(15, "6"), OK)
        self.cell("%env COLOUR=red\n!echo $COLOUR", out("env: COLOUR=red\nred\n"), OK)
        self.cell("%nosuch", error("UsageError", Like("not found"), "UsageError: Line magic function `%nosuch` not found."), FAILED)
        self.cell("len?", self.display({"text/plain": Like("Return the number of items")}), OK)
        self.cell("%cd /nosuchplace", out(Like("No such file or directory: '/nosuchplace'")), OK)
        self.assertEqual(os.path.exists(os.path.join(self.home, ".ipython")), False)


class Asynchronous(PythonCells):
    def test_awaits(self):
        self.cell("import asyncio\nasync def answer():\n    await asyncio.sleep(0.001)\n    return 42", OK)
        self.value("await answer()", 2, text="42")
        self.value("asyncio.run(answer())", 3, text="42")
        self.value("await answer() + asyncio.run(answer())", 4, text="84")
        self.value("asyncio.get_event_loop().run_until_complete(answer())", 5, text="42")
        self.cell("async def numbers():\n    yield 1\n    yield 2\nasync for n in numbers(): print(n)", out("1\n2\n"), OK)
        self.cell("async with asyncio.timeout(5):\n    later = asyncio.create_task(answer())\nprint('started')", out("started\n"), OK)
        self.value("await later", 8, text="42")
        self.value("plain = asyncio.create_task(answer()); plain.done()", 9, text="False")
        self.value("await plain", 10, text="42")
        self.value("await asyncio.gather(answer(), answer())", 11, text="[42, 42]", more={"application/json": [42, 42]})
        self.cell("await answer()\n1 / 0", error("ZeroDivisionError", "division by zero", Like("----> 2 1 / 0")), FAILED)
        self.cell("await asyncio.create_subprocess_exec('echo', 'sub') and None\nawait asyncio.sleep(0.1)", out("sub\n"), OK)
        self.cell("await asyncio.to_thread(print, 'aside')", out("aside\n"), OK)
        self.cell("print('begun')\nawait asyncio.sleep(100)", out("begun\n"),
                  error("KeyboardInterrupt", "", Like(r"await asyncio.sleep\(100\)")), FAILED, interrupt_on="begun")
        self.value("await answer()", 16, text="42")
        self.cell("print('begun')\nawait answer()\nwhile True: pass", out("begun\n"), error("KeyboardInterrupt", ""), FAILED, interrupt_on="begun")
        self.cell("print('begun')\nawait answer(); asyncio.run(asyncio.sleep(100))",
                  out("begun\n"), error("KeyboardInterrupt", ""), FAILED, interrupt_on="begun")
        self.cell("import sys\nawait answer()\nsys.exit(2)", error("SystemExit", "2", "SystemExit: 2"), ended(2))


class Errors(PythonCells):
    def test_errors(self):
        self.cell("def f(n):\n    return 1 / n\nf(0)", error("ZeroDivisionError", "division by zero", Like(
            r"Cell In\[1\], line 3\n.*----> 3 f\(0\)\n.*Cell In\[1\], line 2, in f\(n\)\n.*----> 2     return 1 / n.*ZeroDivisionError: division by zero$")), FAILED)
        self.cell("print('before'); nosuch", out("before\n"), error("NameError", "name 'nosuch' is not defined"), FAILED)
        self.cell("x ==", error("SyntaxError", Like("^invalid syntax"), Like(r"Cell In\[3\], line 1\n    x ==\n")), FAILED)
        self.cell("def g():\nreturn 1", error("IndentationError", Like("expected an indented block"), Like("line 2")), FAILED)
        self.cell("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e",
                  error("KeyError", "'k'", Like("ZeroDivisionError.*direct cause.*KeyError")), FAILED)
        self.cell("raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
                  error("ExceptionGroup", "several (2 sub-exceptions)", Like("ValueError: 1.*TypeError: 2")), FAILED)
        self.cell("assert 1 == 2, 'not equal'", error("AssertionError", "not equal"), FAILED)
        self.cell("f(0)", error("ZeroDivisionError", "division by zero", Like(r"Cell In\[8\].*Cell In\[1\], line 2, in f")), FAILED)
        self.cell("import json\njson.loads('{')", error("JSONDecodeError", Like("^Expecting property name"), Like(r"----> 2 json.loads")), FAILED)
        self.cell("import sys; sys.exit(3)", error("SystemExit", "3", "SystemExit: 3"), ended(3))
        self.cell("exit", ended(0))
        self.cell("quit(0)", ended(0))
        self.cell("sys.exit()", ended(0))
        self.cell("sys.exit('no more')", err("no more\n"), error("SystemExit", "no more"), ended(1))
        self.cell("raise SystemExit(True)", error("SystemExit", "True"), ended(1))
        self.cell("f(1)", self.result(16, "1.0"), OK)
        self.cell("import traceback\ntry: f(0)\nexcept Exception: traceback.print_exc()", err(Like("ZeroDivisionError: division by zero")), OK)
        for event in self.runtime.run("1/0"):
            self.assertNotIn("\x1b", str(event))
        self.cell("raise ValueError('\\x1b[1;31mred\\x1b[0m')", error("ValueError", "\x1b[1;31mred\x1b[0m", Like("\nValueError: red$")), FAILED)


class Input(PythonCells):
    def test_input(self):
        self.cell("input('name? ')", out("name? "), self.result(1, "'Ada'"), OK, stdin="Ada\nLovelace")
        self.cell("[input(), input()]", self.result(2, "['a', 'b']", {"application/json": ["a", "b"]}), OK, stdin="a\nb\n")
        self.cell("input()\ninput()", error("EOFError", Like("read to its end")), FAILED, stdin="one\n")
        self.cell("input()", error("EOFError", Like("no stdin was provided"), Like("----> 1 input")), FAILED)
        self.cell("import sys\nsys.stdin.read(), list(sys.stdin)", self.result(5, "('x\\ny', [])"), OK, stdin="x\ny")
        self.cell("sys.stdin.read()", self.result(6, "''"), OK)
        self.cell("import getpass; getpass.getpass()", out("Password: "), self.result(7, "'secret'"), OK, stdin="secret\n")
        self.cell("!cat", OK, stdin="not for the shell")


class Checks(PythonCells):
    def test_code_is_judged_without_being_run(self):
        self.judged("complete", "", "made = 1", "for i in range(2):\n    made = 1\n\n", "!ls", "%time 1")
        self.judged("incomplete", "for i in range(2):", "def f():\n    return 1", "[1,", "'''open", "x = \\", "@staticmethod")
        self.judged("invalid", "1 +* 2", "return return")
        self.value("'made' in dir()", 1, text="False")


if __name__ == "__main__":
    unittest.main()
