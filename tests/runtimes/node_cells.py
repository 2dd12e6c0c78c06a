"""A JavaScript context as a notebook, run by the base template's Node: every event of every cell is asserted."""

import os
import shutil
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import template  # noqa: E402
from driver import Died, Runtime  # noqa: E402
from environments import node_runtime  # noqa: E402
from expect import FAILED, OK, Cells, Like, ended, err, error, notice, out  # noqa: E402

PNG_BYTES = b"\x89PNG"


class NodeCells(Cells):
    @classmethod
    def root(cls):
        return template.root()

    @classmethod
    def command(cls):
        cls.place = node_runtime(template.root())
        cls.addClassCleanup(shutil.rmtree, cls.place)
        return ["/usr/bin/node", "--expose-internals", os.path.join(cls.place, "start.js")]

    def setUp(self):
        self.count = getattr(self, "count", 0)

    def run_cell(self, code, *expected, **more):
        self.cell(code, *expected, **more)
        self.count += 1

    def value(self, code, text, data=None, **more):
        """A cell whose only event is its value."""
        self.run_cell(code, self.result(text, data), OK, **more)

    def result(self, text, data=None):
        """Counted from the cell that comes: expectations are written down before it runs."""
        json = {} if data is None else {"application/json": data}
        return {"type": "result", "data": {"text/plain": text, **json}, "metadata": {}, "execution_count": self.count + 1}

    def display(self, data):
        return {"type": "display", "data": data, "metadata": {}, "display_id": None}


class State(NodeCells):
    def test_state(self):
        self.assertEqual(self.runtime.ready, {"language": "javascript", "version": Like(r"^20\."), "protocol": 1})
        self.value("1 + 1", "2")
        self.run_cell("const x = 5; let y = {a: 1, b: [1, 2]}; class A { m() { return 7 } }\nfunction f(n) { return 2 * n }", OK)
        self.value("x + f(2) + new A().m()", "16")
        self.value("const x = 6; let y = x + 1; class A {}\n[x, y, typeof new A().m]", "[ 6, 7, 'undefined' ]", [6, 7, "undefined"])
        self.value("{a: {b: null}}", "{ a: { b: null } }", {"a": {"b": None}})
        self.run_cell("undefined", OK)
        self.value("null", "null")
        self.run_cell("if (x) { const inner = 1 }", OK)
        self.value("typeof inner", "'undefined'")
        self.run_cell("const [p, {q = 3}, ...rest] = [1, {}, 4, 5]", OK)
        self.value("({p, q, rest})", "{ p: 1, q: 3, rest: [ 4, 5 ] }", {"p": 1, "q": 3, "rest": [4, 5]})
        self.value("implicit = 8; implicit", "8")
        self.value("new Map([[1, {a: 2}]])", "Map(1) { 1 => { a: 2 } }")
        self.value("[1, , NaN]", "[ 1, <1 empty item>, NaN ]")
        self.value("10n ** 20n", "100000000000000000000n")
        self.run_cell("", OK)
        self.run_cell("// nothing", OK)
        self.value("const crypto = require('crypto'); typeof crypto.createHash", "'function'")
        self.value("path.join('a', 'b')", "'a/b'")
        self.value("process.execArgv.length + process.listenerCount('SIGINT')", "0")


class Output(NodeCells):
    def test_output(self):
        self.run_cell("console.log('hi', {a: 1}); console.error('bad'); console.info('%s!', 'there')", out("hi { a: 1 }\nthere!\n"), err("bad\n"), OK)
        self.run_cell("console.log('a'); display(1); console.log('b'); 2", out("a\n"), self.display({"text/plain": "1"}), out("b\n"), self.result("2"), OK)
        self.run_cell("process.stdout.write('raw'); require('fs').writeSync(2, 'err')\nundefined", out("raw"), err("err"), OK)
        self.run_cell("require('child_process').spawnSync('echo', ['child'], {stdio: 'inherit'}); console.log('then')", out("child\nthen\n"), OK)
        self.run_cell("console.table([{a: 1}]); console.assert(false, 'not so')", out(Like("index")), err(Like("not so")), OK)
        self.run_cell("display({'text/html': '<b>', 'image/png': Buffer.from([0x89, 80, 78, 71])})",
                      self.display({"text/html": "<b>", "image/png": PNG_BYTES}), OK)
        self.run_cell("({_toMime() { return {'text/markdown': '# h'} }})", dict(self.result(""), data={"text/markdown": "# h"}), OK)
        self.run_cell("process.stdout.end(); process.stderr.destroy(); console.log('still')", out("still\n"), OK)
        events = self.runtime.run("for (let i = 0; i < 100000; i++) console.log(i)")
        self.assertEqual((len(events), events[0]["text"].count("\n"), events[1]), (2, 100_000, OK))
        self.count += 1
        self.run_cell("process.stdin.setEncoding('utf8'); let text = ''; for await (const part of process.stdin) text += part; text",
                      self.result("'one\\ntwo'"), OK, stdin="one\ntwo")
        events = self.runtime.run("'x'.repeat(3e6)")
        self.assertEqual([len(events[0]["data"]["text/plain"]), *events[1:]], [1 << 20, notice("text/plain: cut to 1048576 characters"), OK])
        events = self.runtime.run("display({'text/html': 'h'.repeat(9e6)})")
        self.assertEqual([len(events[0]["data"]["text/html"]), *events[1:]], [9_000_000, OK])


class Modules(NodeCells):
    def test_modules(self):
        self.value("const fs = require('fs'); typeof fs.readFileSync", "'function'")
        self.value("import os, { EOL as end } from 'node:os'\nimport * as url from 'url'\n[typeof os.cpus, end, typeof url.parse]",
                   "[ 'function', '\\n', 'function' ]", ["function", "\n", "function"])
        self.value("end.length + typeof url", "'1object'")
        self.value("const {join} = await import('path'); join('a', 'b')", "'a/b'")
        self.run_cell("import {nope} from 'fs'", error("SyntaxError", "The requested module 'fs' does not provide an export named 'nope'"), FAILED)
        self.run_cell("fs.writeFileSync('mine.mjs', 'export const value = 1; export default function () { return \"d\" }')", OK)
        self.value("import d, { value } from './mine.mjs'; [d(), value]", "[ 'd', 1 ]", ["d", 1])
        self.run_cell("fs.writeFileSync('mine.mjs', 'export const value = 2'); fs.utimesSync('mine.mjs', 1, 1)", OK)
        self.value("import { value } from './mine.mjs'; value", "2")
        self.run_cell("fs.mkdirSync('node_modules/both', {recursive: true})\n"
                      "fs.writeFileSync('node_modules/both/package.json', JSON.stringify({exports: {'.': {import: './m.mjs', require: './c.cjs'}}}))\n"
                      "fs.writeFileSync('node_modules/both/m.mjs', 'export default \"esm\"')\nfs.writeFileSync('node_modules/both/c.cjs', 'module.exports = \"cjs\"')", OK)
        self.value("import both from 'both'; [both, require('both')]", "[ 'esm', 'cjs' ]", ["esm", "cjs"])
        self.run_cell("const global_place = process.env.HOME + '/.local/lib/node_modules/everywhere'\nfs.mkdirSync(global_place, {recursive: true})\n"
                      "fs.writeFileSync(global_place + '/index.js', 'exports.found = true')\nfs.writeFileSync(global_place + '/package.json', '{}')\n"
                      "fs.mkdirSync('/var/tmp/elsewhere-' + process.pid); process.chdir('/var/tmp/elsewhere-' + process.pid)", OK)
        self.value("import { found } from 'everywhere'; [found, require('everywhere').found]", "[ true, true ]", [True, True])
        self.run_cell("fs.rmdirSync(process.cwd()); process.chdir(process.env.HOME)", OK)
        self.run_cell("require('nosuch')", error("Error", Like("Cannot find module 'nosuch'")), FAILED)
        self.run_cell("import 'nosuch'", error("Error", Like("Cannot find package 'nosuch'")), FAILED)
        self.value("export const exported = 4; export default class {}\nexported", "4")


class Asynchronous(NodeCells):
    def test_awaits(self):
        self.value("const z = await Promise.resolve(3); let {q, ...w} = {q: 1, r: 2}; z + q", "4")
        self.value("[z, w]", "[ 3, { r: 2 } ]", [3, {"r": 2}])
        self.value("(await z);", "3")
        self.run_cell("const early = hoisted(); await null; function hoisted() { return 'h' } class K {}", OK)
        self.value("early + hoisted() + typeof K", "'hhfunction'")
        self.value("for (var i = 0; i < 3; i++) await null\ni", "3")
        self.value("async function main() { await null; return 'main' }\nmain()", "'main'")
        self.run_cell("for await (const n of (async function* () { yield 1; yield 2 })()) console.log(n)", out("1\n2\n"), OK)
        self.run_cell("setTimeout(() => console.log('tick'), 5); await new Promise(r => setTimeout(r, 30))", out("tick\n"), OK)
        self.value("await fetch('data:text/plain,hello').then(r => r.text())", "'hello'")


class Errors(NodeCells):
    def test_errors(self):
        self.run_cell("function boom() {\n  throw new TypeError('bad')\n}\nboom()", error(
            "TypeError", "bad", "Cell In[1]:2\n  throw new TypeError('bad')\n\nTypeError: bad\n    at boom (Cell In[1]:2:9)\n    at Cell In[1]:4:1"), FAILED)
        self.run_cell("let a = ;", error("SyntaxError", "Unexpected token", "Cell In[2]:1\nlet a = ;\n        ^\n\nSyntaxError: Unexpected token"), FAILED)
        self.run_cell("nosuch", error("ReferenceError", "nosuch is not defined"), FAILED)
        self.run_cell("await null\nthrow new Error('later')", error("Error", "later", Like(r"^Cell In\[4\]:2\nthrow new Error")), FAILED)
        self.run_cell("throw 5", error("Uncaught", "5"), FAILED)
        self.run_cell("const one = await 1, two = await (2, boom())", error("TypeError", "bad", Like(r"Cell In\[1\]:2:9\)\n    at Cell In\[6\]:1:38$")), FAILED)
        self.run_cell("{a: 1, b: boom()}", error("TypeError", "bad", Like(r"at Cell In\[7\]:1:11$")), FAILED)
        self.run_cell(r"throw new Error('half \ud800, \\ud800, \ud83d\ude00 \udc00\udc00')", error("Error", "half \ufffd, \\ud800, \U0001f600 \ufffd\ufffd"), FAILED)
        self.run_cell("throw new Error('outer', {cause: new RangeError('inner')})", error("Error", "outer", Like("outer.*cause.*RangeError: inner")), FAILED)
        self.run_cell("function deep() { return deep() }\ndeep()", error("RangeError", "Maximum call stack size exceeded"), FAILED)
        self.run_cell("Promise.reject(new Error('lost')); 1", self.result("1"), error("Error", "lost"), FAILED)
        self.run_cell("setTimeout(() => { throw new Error('thrown later') }, 5); await new Promise(() => {})",
                      error("Error", "thrown later", Like("Cell In")), FAILED)
        self.run_cell("process.removeAllListeners('uncaughtException'); process.removeAllListeners('unhandledRejection'); 0", self.result("0"), OK)
        self.run_cell("Promise.reject(new Error('again')); undefined", error("Error", "again"), FAILED)
        self.run_cell("throw {get stack() { throw 1 }}", error("Error", Like("cannot be shown")), FAILED)
        self.run_cell("({get [Symbol.toStringTag]() { throw new Error('tag') }})", self.result(Like("cannot be shown|\\{")), OK)
        self.run_cell("throw new Error('x'.repeat(1e6))", error("Error", Like("characters are left out")), FAILED)
        self.run_cell("process.exit(3)", error("Exit", "3", "process.exit(3)"), ended(3))
        self.run_cell("process.exit()", ended(0))
        self.run_cell("console.log('a'); await null; process.exit(2); console.log('b')", out("a\n"), error("Exit", "2"), ended(2))
        self.run_cell("setTimeout(() => process.exit(4), 5); await new Promise(() => {})", error("Exit", "4"), ended(4))
        self.run_cell(r"throw new Error('\x1b[1;31mred\x1b[0m')", error("Error", "\x1b[1;31mred\x1b[0m", Like("\nError: red\n")), FAILED)
        self.run_cell("'on'", self.result("'on'"), OK)


class Interrupts(NodeCells):
    def test_interrupts(self):
        stopped = error("KeyboardInterrupt", "the execution was interrupted")
        self.run_cell("console.log('begun'); while (true) {}", out("begun\n"), stopped, FAILED, interrupt_on="begun")
        self.run_cell("console.log('begun'); await new Promise(() => {})", out("begun\n"), stopped, FAILED, interrupt_on="begun")
        self.run_cell("console.log('begun'); await new Promise(r => setTimeout(r, 300)); console.log('never')",
                      out("begun\n"), stopped, FAILED, interrupt_on="begun")
        self.run_cell("process.on('SIGINT', () => console.log('mine')); 0", self.result("0"), OK)
        self.run_cell("console.log('begun'); while (true) {}", out("begun\n"), stopped, FAILED, interrupt_on="begun")
        self.runtime.interrupt()
        time.sleep(0.2)  # Node hears of it in a thread of its own
        self.run_cell("await new Promise(r => setTimeout(r, 500)); 'well'", self.result("'well'"), OK)


class Children(NodeCells):
    def test_children_do_not_inherit_the_channel(self):
        self.cell("require('child_process').execSync('ls /proc/self/fd | wc -l; echo $COVE_CHANNEL').toString()",
                  {"type": "result", "data": {"text/plain": "'4\\n\\n'"}, "metadata": {}, "execution_count": 1}, OK)


class TypeScript(NodeCells):
    def test_types(self):
        self.value("interface P { a: number }\nconst p: P = { a: 5 }\np.a", "5")
        self.value("enum Colour { Red, Green }\nColour.Green", "1")
        self.value("function twice<T>(x: T): T[] { return [x, x] }\ntwice<string>('a')", "[ 'a', 'a' ]", ["a", "a"], language="typescript")
        self.value("type Id = string | number\nlet id = 'x' as Id\nconst n = id!\nn satisfies Id", "'x'")
        self.value("class Animal { constructor(private name: string) {} get hello(): string { return this.name } }\nnew Animal('cat').hello", "'cat'")
        self.value("const waited: number = await Promise.resolve(2); waited", "2", language="typescript")
        self.value("import type { Stats } from 'fs'\nimport { existsSync } from 'fs'\nexistsSync('/')", "true")
        self.run_cell("const bad: number = ;", error("SyntaxError", Like(".")), FAILED)
        self.run_cell("let good: number = 1\nconst worse: = 1", error("SyntaxError", Like("^Unexpected token `=`"), Like(
            r"^Cell In\[9\]:2\nconst worse: = 1\n {13}\^\n\nSyntaxError: Unexpected token `=`")), FAILED, language="typescript")
        self.run_cell("let u: any = undefined\n\nu.x", error("TypeError", Like("undefined"), Like(r"^Cell In\[10\]:3\nu.x")), FAILED)
        self.value("namespace Geometry { export const unit = 1 }\nnamespace Other { export const two = 2 }\nGeometry.unit + Other.two", "3")
        self.run_cell("type Unused = string\n\nfunction check(n: number): never {\n  throw new RangeError(`bad: ${n}`)\n}\ncheck(<number>1)", error(
            "RangeError", "bad: 1", Like(r"^Cell In\[12\]:4\n  throw new RangeError.*at check \(Cell In\[12\]:4:9\)\n    at Cell In\[12\]:6:1$")), FAILED)
        self.run_cell("enum Level { Low }\nawait null\nthrow new Error('after')", error("Error", "after", Like(r"^Cell In\[13\]:3\nthrow new")), FAILED)


class Ends(unittest.TestCase):
    def test_what_kills_the_process(self):
        place = node_runtime(template.root())
        self.addCleanup(shutil.rmtree, place)
        for code, status in (("process.kill(process.pid, 'SIGKILL')", -9), ("process.reallyExit(7)", 7), ("process.abort()", -6)):
            runtime = Runtime(["/usr/bin/node", "--expose-internals", os.path.join(place, "start.js")], cwd=place, root=template.root())
            self.addCleanup(runtime.close)
            with self.assertRaises(Died) as died:
                runtime.run(f"console.log('begun'); {code}")
            self.assertEqual(died.exception.args[0], status)
            self.assertEqual(runtime._events[0], out("begun\n"))


class Checks(NodeCells):
    def test_code_is_judged_without_being_run(self):
        self.judged("complete", "", "globalThis.made = 1", "const f = () => {\n};", "let n: number = 1", "`a\nb`", "{a: 1}")
        self.judged("incomplete", "function f() {", "[1,", "f(", "`open", "/* open", "const o = {", "class A {\n  m() {", "x =>", "function g(a: number) {")
        self.judged("invalid", "let let", ")", "'open", "1 +* 2")
        self.judged("incomplete", "interface A {", language="typescript")
        self.value("typeof made", "'undefined'")


if __name__ == "__main__":
    unittest.main()
