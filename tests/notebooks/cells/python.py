# %% the working directory is the workspace, which is read-only here: go home
%cd ~

# %% names outlive their cell
x = 6
def double(n):
    return 2 * n

# %% the value of the last expression is the result
double(x) + 30

# %% a semicolon hides it
double(x);

# %% None is no result
None

# %% earlier results have names
_ + Out[3], In[2].splitlines()[0]

# %% only the last expression counts
1
2
"three"

# %% a cell that is indented as a whole is dedented
    inner = 5
    if inner:
        inner += 1
    inner

# %% a class and an object whose repr is its address
class Plain:
    pass
Plain()

# %% imports outlive their cell, and plain data is also data
import json, math
{"pi": round(math.pi, 3), "list": [1, None, True], "text": "ä"}

# %% JSON has no word for these, so there is only text
[math.nan, math.inf, (1, 2), {3}]

# %% unicode: combining marks, emoji, right to left, and half a surrogate pair
print("naïve 日本語 🧪 שלום e\u0301 \ud800")
"𝔘nicode ✓"

# %% print, os.write, a child and C code write in order
import ctypes, os, subprocess, sys
print("1 print")
os.write(1, b"2 os.write\n")
subprocess.run(["echo", "3 child"])
ctypes.CDLL(None).puts(b"4 C")
print("5 print")

# %% so they do on stderr
print("1 print", file=sys.stderr)
os.write(2, b"2 os.write\n")
subprocess.run("echo 3 child >&2", shell=True)
sys.stderr.write("4 write\n");

# %% what is displayed stands between what is printed before and after it, on both streams
print("out 1")
print("err 1", file=sys.stderr)
display("first")
print("out 2")
display("second")
print("err 2", file=sys.stderr)
"last"

# %% a line without an end, and bytes that are no UTF-8
os.write(1, b"caf\xc3")
display(None)
os.write(1, b"\xa9 \xff\n")
print("half a line", end="")

# %% threads print
import threading
def work(n):
    print("thread", n)
for n in range(3):
    thread = threading.Thread(target=work, args=(n,))
    thread.start()
    thread.join()

# %% an exception in a thread is told and ends nothing
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()
"goes on"

# %% a forked child prints, and what it does at its end is not the cell's
if (child := os.fork()) == 0:
    print("child")
    sys.exit(7)
print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

# %% multiprocessing, with functions of the notebook
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    squares = pool.map(double, range(5))
squares

# %% a logger and a warning go to stderr
import logging, warnings
logging.warning("logged")
warnings.warn("warned")

# %% display() of several things
from IPython.display import HTML, Image, JSON, Latex, Markdown, Math, SVG, clear_output, display, update_display
display(HTML("<b>bold</b>"), Markdown("# Title"), Latex("$x^2$"), Math(r"\frac{1}{2}"))

# %% vector graphics
SVG('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>')

# %% JSON
JSON({"a": [1, None]})

# %% an object that has HTML, LaTeX and Markdown of its own
class Rich:
    def __repr__(self): return "Rich()"
    def _repr_html_(self): return "<i>rich</i>"
    def _repr_latex_(self): return r"$\rho$"
    def _repr_markdown_(self): return "*rich*"
Rich()

# %% an object that has a picture of its own
import base64
dot = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
class Dot:
    def _repr_png_(self): return dot
    def __repr__(self): return "a dot"
Dot()

# %% an object that makes the whole bundle, with metadata
class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "a bundle", "application/x-own+json": {"k": 1}}, {"application/x-own+json": {"w": 2}}
Bundle()

# %% an object that displays itself
class Self:
    def _ipython_display_(self): print("it is me")
Self()

# %% a representation that fails is told; the others are shown
class Broken:
    def __repr__(self): return "broken"
    def _repr_html_(self): raise ValueError("no HTML today")
Broken()

# %% a display is updated
handle = display("waiting", display_id="progress")
handle.update("working")
update_display(HTML("<b>done</b>"), display_id="progress")

# %% output is cleared
print("gone")
clear_output(wait=True)
print("stays")
clear_output()

# %% a picture from bytes, with a size
display(Image(data=dot, format="png", width=20))

# %% output is captured and shown later
from IPython.utils.capture import capture_output
with capture_output() as captured:
    print("caught")
    display("caught, too")
captured.stdout, len(captured.outputs)

# %% a shell command, its streams, its status
!echo out; echo err >&2; exit 3

# %% the status, a variable in a command, and its lines as a value
status = _exit_code
lines = !printf '%s\n' $x {x + 1}
status, lines

# %% line magics: a new directory
%mkdir -p work/deep
%cd -q work
%pwd

# %% the directory is that of commands, too, and lasts
!pwd; ls

# %% back again
%cd -

# %% timing
%timeit -n 2 -r 3 sum(range(100))

# %% timing of a cell, with its value
%%time
sum(range(10))

# %% a cell of Bash
%%bash
for i in 1 2; do echo "bash $i"; done
echo "to stderr" >&2

# %% a cell of Bash that fails
%%bash
echo before
exit 4

# %% a cell becomes a file
%%writefile -a helper.py
def help():
    return "helped"

# %% the file is a module at once
import helper
helper.help()

# %% it can be run, too
%run helper.py
help()

# %% an environment variable for this context and its children
%env COVE_COLOUR=red
print(os.environ["COVE_COLOUR"])
!echo $COVE_COLOUR

# %% which names of a kind there are
%who function

# %% history
%history -n 2-3

# %% help on an object
double?

# %% a magic that does not exist
%nosuch 1

# %% top-level await
import asyncio
async def answer(after=0.001):
    await asyncio.sleep(after)
    return 42
await answer()

# %% a task outlives its cell
task = asyncio.create_task(answer(0.01))
task.done()

# %% and is awaited in the next one
await task, task.done()

# %% async for, async with, gather, run
async def numbers():
    for n in range(2):
        await asyncio.sleep(0)
        yield n
async for n in numbers():
    print(n)
async with asyncio.timeout(5):
    print(await asyncio.gather(answer(), answer()))
asyncio.run(answer())

# %% an error after an await
await answer()
raise LookupError("after the await")

# %% a syntax error shows the line and the place
y = 1
if y = 2:
    pass

# %% so does wrong indentation
def f():
return 1

# %% nothing of a cell with a syntax error is run
y

# %% an exception shows the user's lines, through functions of earlier cells
def divide(a, b):
    return a / b

def outer():
    return divide(1, 0)

print("before")
outer()
print("never")

# %% chained causes
try:
    int("twelve")
except ValueError as problem:
    raise RuntimeError("cannot read the number") from problem

# %% an error while another is handled
try:
    {}["missing"]
except KeyError:
    undefined_name

# %% several errors at once
raise ExceptionGroup("several", [ValueError("one"), TypeError("two")])

# %% an assertion, and an exception of one's own whose text has colours
class Oops(Exception):
    pass
assert x == 6
raise Oops("\x1b[31mred\x1b[0m")

# %% an error inside a library shows where it was called
json.loads("{")

# %% endless recursion is an error like others
def forever(n):
    return forever(n + 1)
forever(0)

# %% the state is as before
x, y_is_defined if (y_is_defined := "y" in dir()) else "no y"

# %% input() reads what was given, line by line
name = input("Name? ")
[name, input()]

# %% sys.stdin is the same text, from the beginning in each cell
sys.stdin.read()

# %% reading past its end says so
for _line in range(3):
    input()

# %% sys.exit ends the cell with its code
print("leaving")
sys.exit(5)

# %% with a text
sys.exit("no more")

# %% with nothing it is no error
sys.exit()

# %% the context is still there
x

# %% the first figure: a line, with labels and units
import matplotlib.pyplot as plt
plt.plot([1, 2, 3], [2, 4, 8], label="growth")
plt.title("Growth")
plt.xlabel("time (s)")
plt.ylabel("size [mm]")
plt.show()
print("after the figure")

# %% points, shown at the end of the cell without a call
plt.scatter([1, 2], [3, 4], label="seen");

# %% bars; the figure is the value, and is shown once
fig, ax = plt.subplots(figsize=(4, 3))
ax.bar(["a", "b"], [1, 2])
ax.set_ylabel("count")
fig

# %% no figure is left open
plt.get_fignums(), fig.axes[0].get_ylabel()

# %% a pie
plt.pie([1, 3], labels=["small", "large"]);

# %% a box plot with an outlier
plt.boxplot([[1, 2, 3, 4, 20]], tick_labels=["sample"]);

# %% two charts in one figure, with dates and a logarithm
import datetime
both, (left, right) = plt.subplots(1, 2)
both.suptitle("Both")
left.plot([datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)], [1, 2])
right.bar(["x"], [5])
left.set_yscale("log")
None

# %% two figures are two pictures, in order
plt.figure(); plt.plot([1], label="one")
plt.figure(); plt.plot([2], label="two");

# %% a figure of a cell that fails is shown as well
plt.plot([1, 2])
raise ValueError("after plotting")

# %% a figure as a vector graphic
%config InlineBackend.figure_format = "svg"
plt.plot([1, 2])
plt.show()
%config InlineBackend.figure_format = "png"

# %% numbers
import numpy as np
np.arange(6).reshape(2, 3)

# %% a data frame: text, HTML and data
import pandas as pd
frame = pd.DataFrame({"name": ["Ada", "Bob"], "age": [36, None], "member": [True, False]}, index=["a", "b"])
frame

# %% times and categories
pd.DataFrame({"when": pd.to_datetime(["2026-01-01", None]), "kind": pd.Categorical(["u", "v"])})

# %% a large one is abridged as text and HTML; the data is cut, and that is told
pd.DataFrame({"n": range(200_000)})

# %% grouping
frame.groupby("member").age.mean()

# %% pandas plots with matplotlib
frame.plot(y="age", kind="bar", legend=False);

# %% plotly
import plotly.graph_objects as go
go.Figure(go.Scatter(x=[1, 2], y=[3, 4], name="line"), layout={"title": {"text": "Plotly"}})

# %% plotly's show() is the same
_figure = go.Figure(go.Bar(y=[1]))
_figure.show()

# %% altair
import altair as alt
alt.Chart(pd.DataFrame({"a": [1, 2]})).mark_bar().encode(x="a:Q")

# %% a picture of pillow
from PIL import Image as Pillow
Pillow.new("RGB", (3, 2), "red")

# %% sympy has LaTeX
import sympy
sympy.Integral(sympy.Symbol("x") ** 2, sympy.Symbol("x"))

# %% a package that is not there
import cove_tiny

# %% it is installed from a wheelhouse into the user's home
%pip install --no-index --find-links /workspace --quiet cove-tiny

# %% and imported at once, in the same interpreter
import cove_tiny
cove_tiny.answer(), cove_tiny.__file__

# %% its program is found, too
!command -v cove-tiny; pip list --user 2>/dev/null | grep cove

# %% a package that the wheelhouse lacks
!pip install --no-index --find-links /workspace --quiet cove-nosuch
_exit_code

# %% much output is cut and counted
for i in range(40_000):
    print(f"{i:05}")

# %% a long value is cut and says so
"x" * 2_000_000

# %% what is left: the state of the whole notebook
x, double(21), name, frame.shape, os.getcwd()
