"""What cells/javascript.js tells, cell by cell, with INPUT as its input and a tarball in its workspace."""

from expected.events import Cell, Exactly, Length, display, ended, err, error, failed, notice, out, result

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def plain(text, value):
    """A value that is also data."""
    return result(text, json=value)


STATE = [
    Cell("const, let, function and class outlive their cell"),
    Cell("the value of the last expression is the result", result("42")),
    Cell("undefined is no result"),
    Cell("names may be declared again", result("'6610'")),
    Cell("an instance, with its class", result("Point { x: 3, y: 4 }")),
    Cell("a getter of it", result("5")),
    Cell("plain data is also data",
         plain("{ name: 'Ada', tags: [ 'a', null, true ], nested: { n: 1.5 } }", {"name": "Ada", "tags": ["a", None, True], "nested": {"n": 1.5}})),
    Cell("braces alone are an object, too", plain("{ a: 1, b: [ 2 ] }", {"a": 1, "b": [2]})),
    Cell("what JSON has no word for is text only", result("[ undefined, NaN, 10n, Symbol(s), /x/g, [Function (anonymous)] ]")),
    Cell("maps, sets, dates", result("[ Map(1) { 'k' => { v: 1 } }, Set(2) { 1, 2 }, 1970-01-01T00:00:00.000Z ]")),
    Cell("a circular value", result("<ref *1> { name: 'ring', self: [Circular *1] }")),
    Cell("a deep value is abridged",
         plain("{\n  a: {\n    b: { c: { d: { e: [Object] } } }\n  }\n}", {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}})),
    Cell("destructuring, default values, rest", plain("[ 1, 2, [ 3, 4 ] ]", [1, 2, [3, 4]])),
    Cell("closures keep their variables", result("2")),
]

OUTPUT = [
    Cell("console: log, error, warn, info, debug", out("log 1 { a: [ 1, 2 ] } text\nAda is 36 years\ndebug\n"), err("error\nwarn\n")),
    Cell("console: table, dir, group, count, assert",
         out("┌─────────┬───┬─────┐\n"
             "│ (index) │ a │ b   │\n"
             "├─────────┼───┼─────┤\n"
             "│ 0       │ 1 │ 'x' │\n"
             "│ 1       │ 2 │ 'y' │\n"
             "└─────────┴───┴─────┘\n"
             "{ deep: [Object] }\ngroup\n  inside\ntimes: 1\ntimes: 2\n"),
         err("Assertion failed: not equal\n")),
    Cell("what is displayed stands between what is printed before and after it",
         out("before\n"), display("'shown'"), err("between\n"), display("html", {"text/html": "<b>html</b>"}), out("after, without an end"), result("true")),
    Cell("a picture", display(None, {"image/png": DOT})),
    Cell("an object that says how it is shown", result("Title", {"text/markdown": "# Title"})),
]

AWAITS = [
    Cell("top-level await", result("'waited'")),
    Cell("what was awaited is kept, and a promise as the last value is waited for", result("'waited, too'")),
    Cell("async functions, for await, Promise.all", out("1\n2\n"), plain("[ 1, 2 ]", [1, 2])),
    Cell("timers run while the cell waits", out("tick\ntock 1\ntock 2\n")),
    Cell("microtasks come before timers", out("now\nmicrotask\ntick\ntimer\n")),
]

MODULES = [
    Cell("require, and Node's modules by their names", plain(r"[ 'b', '\n', 'function' ]", ["b", "\n", "function"])),
    Cell("import: default, named, all", plain("[ 'function', '/y', '3' ]", ["function", "/y", "3"])),
    Cell("a module of one's own, as CommonJS and as ESM",
         plain("[ 'common', 'modern', 'called', 'modern' ]", ["common", "modern", "called", "modern"])),
    Cell("buffers and typed arrays",
         result("[\n  <Buffer 68 c3 a9 6c 6c 6f>,\n  Uint8Array(3) [ 1, 2, 255 ],\n  Float64Array(2) [ 0, 0 ],\n"
                "  ArrayBuffer { [Uint8Contents]: <00 00>, byteLength: 2 }\n]")),
    Cell("JSON, both ways", plain("{ a: [ 1, { b: null } ] }", {"a": [1, {"b": None}]})),
    Cell("strings, templates, unicode", result("'naïve 日本語 🧪 2 true'")),
]

ERRORS = [
    Cell("an error has its line and its stack",
         error("TypeError", "wrong type", Exactly(
             "Cell In[31]:2\n  throw new TypeError('wrong type');\n\nTypeError: wrong type\n"
             "    at inner (Cell In[31]:2:9)\n    at outer (Cell In[31]:5:3)\n    at Cell In[31]:7:1")), ends=failed()),
    Cell("an error of an earlier cell's function is found there",
         error("TypeError", "wrong type", Exactly(
             "Cell In[31]:2\n  throw new TypeError('wrong type');\n\nTypeError: wrong type\n    at inner (Cell In[31]:2:9)\n    at Cell In[32]:1:24")),
         ends=failed()),
    Cell("an error with a cause",
         error("Error", "cannot read it", "Cell In[33]:4\n  throw new Error('cannot read it', { cause: problem });\n\nError: cannot read it\n    at Cell In[33]:4:9\n",
               "[cause]: SyntaxError: Expected property name or '}' in JSON at position 1", "at Cell In[33]:2:8"), ends=failed()),
    Cell("an error of one's own, thrown after an await",
         error("Oops", "mine", Exactly("Cell In[34]:5\nthrow new Oops('mine');\n\nOops: mine\n    at Cell In[34]:5:7")), ends=failed()),
    Cell("an error whose text has colours",
         error("Error", "\x1b[31mred\x1b[0m", Exactly(r"Cell In[35]:1" "\n" r"throw new Error('\x1b[31mred\x1b[0m');" "\n\nError: red\n    at Cell In[35]:1:7")),
         ends=failed()),
    Cell("something else than an error is thrown", error("Uncaught", "{ code: 7 }", Exactly("Uncaught { code: 7 }")), ends=failed()),
    Cell("a syntax error shows its place",
         error("SyntaxError", "Unexpected token", Exactly("Cell In[37]:2\nlet bad = ;\n          ^\n\nSyntaxError: Unexpected token")), ends=failed()),
    Cell("nothing of that cell was run", result("'undefined'")),
    Cell("a name that is not there",
         error("ReferenceError", "missing is not defined", Exactly("Cell In[39]:1\nmissing + 1\n\nReferenceError: missing is not defined\n    at Cell In[39]:1:1")),
         ends=failed()),
    Cell("a rejection that nobody handles",
         result("'the value comes first'"),
         error("RangeError", "rejected", Exactly("Cell In[40]:1\nPromise.reject(new RangeError('rejected'));\n\nRangeError: rejected\n    at Cell In[40]:1:16")),
         ends=failed()),
    Cell("an error in a timer",
         error("Error", "from a timer", "Cell In[41]:1\nsetTimeout(() => { throw new Error('from a timer'); }, 1);\n\nError: from a timer\n", "Cell In[41]:1:26"),
         ends=failed()),
    Cell("several errors at once",
         error("AggregateError", "All promises were rejected", "AggregateError: All promises were rejected\n",
               "[error]: Cell In[42]:1\nawait Promise.any([", "Error: one\n    at Cell In[42]:1:35\n", "TypeError: two\n    at Cell In[42]:1:69"), ends=failed()),
    Cell("the stack overflows",
         error("RangeError", "Maximum call stack size exceeded", "Cell In[43]:1\nfunction forever() { return forever() + 1; }\n\nRangeError: Maximum",
               "at forever (Cell In[43]:1:"), ends=failed()),
    Cell("process.exit ends the cell and not the context", out("leaving\n"), error("Exit", "3", Exactly("process.exit(3)")), ends=failed(3)),
    Cell("the state is as before", plain("[ '6', 10, 'waited', 3, 'function' ]", ["6", 10, "waited", 3, "function"])),
]

MACHINE = [
    Cell("standard input is what was given", result(r"'Ada\nLovelace\n'")),
    Cell("children write to the same streams", out("child\n"), err("its error\n"), result(r"'captured\n'")),
    Cell("the working directory", result("'/tmp'")),
    Cell("a package that is not there",
         error("Error", "Cannot find module 'cove-near'\nRequire stack:\n- /tmp/cell.js", "Cell In[49]:1\nrequire('cove-near');\n", "Error: Cannot find module 'cove-near'"),
         ends=failed()),
    Cell("it is installed from a tarball", result("true")),
    Cell("and is there at once, for require and for import",
         plain("[ 42, 42, '/home/user/node_modules/cove-near/index.js' ]", [42, 42, "/home/user/node_modules/cove-near/index.js"])),
    Cell("a web request of the language's own, to no network", plain("{ a: 1 }", {"a": 1})),
    Cell("a generator, a proxy, a weak map", result("[ Object [Generator] {}, { a: 1 }, WeakMap { <items unknown> } ]")),
    Cell("TypeScript is understood where JavaScript is not", result("6")),
    Cell("much output is cut and counted", out("".join(f"{i:05}\n" for i in range(40_000))[:100 << 10]), ends=ended(dropped=40_000 * 6 - (100 << 10))),
    Cell("a long value is cut and says so", result(Length(1 << 20, "'", "…")), notice("text/plain: cut to 1048576 characters")),
]

CELLS = [*STATE, *OUTPUT, *AWAITS, *MODULES, *ERRORS, *MACHINE]
