// %% const, let, function and class outlive their cell
const six = 6;
let counter = 0;
function double(n) { return 2 * n; }
class Point {
  constructor(x, y) { this.x = x; this.y = y; }
  get length() { return Math.hypot(this.x, this.y); }
}

// %% the value of the last expression is the result
double(six) + 30

// %% undefined is no result
counter += 1;
undefined

// %% names may be declared again
const six = '6';
let counter = 10;
function double(n) { return n + n; }
double(six) + counter

// %% an instance, with its class
new Point(3, 4)

// %% a getter of it
new Point(3, 4).length

// %% plain data is also data
({ name: 'Ada', tags: ['a', null, true], nested: { n: 1.5 } })

// %% braces alone are an object, too
{ a: 1, b: [2] }

// %% what JSON has no word for is text only
[undefined, NaN, 10n, Symbol('s'), /x/g, () => 1]

// %% maps, sets, dates
[new Map([['k', { v: 1 }]]), new Set([1, 2]), new Date(0)]

// %% a circular value
const ring = { name: 'ring' };
ring.self = ring;
ring

// %% a deep value is abridged
({ a: { b: { c: { d: { e: { f: 1 } } } } } })

// %% destructuring, default values, rest
const [first, { second = 2 } = {}, ...others] = [1, {}, 3, 4];
[first, second, others]

// %% closures keep their variables
const next = (() => { let n = 0; return () => ++n; })();
next();
next()

// %% console: log, error, warn, info, debug
console.log('log', 1, { a: [1, 2] }, 'text');
console.error('error');
console.info('%s is %d years', 'Ada', 36);
console.warn('warn');
console.debug('debug');

// %% console: table, dir, group, count, assert
console.table([{ a: 1, b: 'x' }, { a: 2, b: 'y' }]);
console.dir({ deep: { a: { b: { c: 1 } } } }, { depth: 0 });
console.group('group');
console.log('inside');
console.groupEnd();
console.count('times');
console.count('times');
console.assert(1 === 2, 'not equal');

// %% what is displayed stands between what is printed before and after it
console.log('before');
display('shown');
console.error('between');
display({ 'text/html': '<b>html</b>', 'text/plain': 'html' });
process.stdout.write('after, without an end');

// %% a picture
display({ 'image/png': Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64') });

// %% an object that says how it is shown
({ _toMime() { return { 'text/markdown': '# Title', 'text/plain': 'Title' }; } })

// %% top-level await
const waited = await new Promise((resolve) => setTimeout(resolve, 5, 'waited'));
waited

// %% what was awaited is kept, and a promise as the last value is waited for
Promise.resolve(waited + ', too')

// %% async functions, for await, Promise.all
async function* numbers() { yield 1; yield 2; }
for await (const n of numbers()) console.log(n);
await Promise.all([1, Promise.resolve(2)])

// %% timers run while the cell waits
setTimeout(() => console.log('tick'), 0);
let tocks = 0;
await new Promise((resolve) => {
  const interval = setInterval(() => {
    console.log('tock', ++tocks);
    if (tocks < 2) return;
    clearInterval(interval);
    resolve();
  }, 2);
});

// %% microtasks come before timers
setTimeout(() => console.log('timer'), 0);
queueMicrotask(() => console.log('microtask'));
process.nextTick(() => console.log('tick'));
console.log('now');
await new Promise((resolve) => setTimeout(resolve, 2));

// %% require, and Node's modules by their names
const { join } = require('node:path');
[join('a', '..', 'b'), os.EOL, typeof fs.readFileSync]

// %% import: default, named, all
import url, { URL as Address } from 'node:url';
import * as util from 'node:util';
[typeof url.parse, new Address('x:/y').pathname, util.format('%i', 3.7)]

// %% a module of one's own, as CommonJS and as ESM
fs.writeFileSync('/tmp/common.cjs', 'module.exports = { kind: "common" };');
fs.writeFileSync('/tmp/modern.mjs', 'export const kind = "modern"; export default () => "called";');
const common = require('/tmp/common.cjs');
import modern, { kind } from '/tmp/modern.mjs';
[common.kind, kind, modern(), (await import('/tmp/modern.mjs')).kind]

// %% buffers and typed arrays
[Buffer.from('héllo'), new Uint8Array([1, 2, 255]), new Float64Array(2), new ArrayBuffer(2)]

// %% JSON, both ways
JSON.parse(JSON.stringify({ a: [1, { b: null }], drop: undefined }))

// %% strings, templates, unicode
`${'naïve'} 日本語 🧪 ${[...'e\u0301'].length} ${'\ud83e\uddea' === '🧪'}`

// %% an error has its line and its stack
function inner() {
  throw new TypeError('wrong type');
}
function outer() {
  inner();
}
outer();

// %% an error of an earlier cell's function is found there
double.call(null, six, inner())

// %% an error with a cause
try {
  JSON.parse('{');
} catch (problem) {
  throw new Error('cannot read it', { cause: problem });
}

// %% an error of one's own, thrown after an await
class Oops extends Error {
  name = 'Oops';
}
await null;
throw new Oops('mine');

// %% an error whose text has colours
throw new Error('\x1b[31mred\x1b[0m');

// %% something else than an error is thrown
throw { code: 7 };

// %% a syntax error shows its place
let good = 1;
let bad = ;

// %% nothing of that cell was run
typeof good

// %% a name that is not there
missing + 1

// %% a rejection that nobody handles
Promise.reject(new RangeError('rejected'));
'the value comes first'

// %% an error in a timer
setTimeout(() => { throw new Error('from a timer'); }, 1);
await new Promise(() => {});

// %% several errors at once
await Promise.any([Promise.reject(new Error('one')), Promise.reject(new TypeError('two'))]);

// %% the stack overflows
function forever() { return forever() + 1; }
forever();

// %% process.exit ends the cell and not the context
console.log('leaving');
process.exit(3);
console.log('never');

// %% the state is as before
[six, counter, waited, next(), typeof forever]

// %% standard input is what was given
let text = '';
for await (const part of process.stdin.setEncoding('utf8')) text += part;
text

// %% children write to the same streams
const { execFileSync, execSync, spawnSync } = require('child_process');
spawnSync('sh', ['-c', 'echo child; echo its error >&2'], { stdio: 'inherit' });
execFileSync('echo', ['captured']).toString()

// %% the working directory
process.chdir('/tmp');
execSync('pwd').toString().trim()

// %% a package that is not there
require('cove-near');

// %% it is installed from a tarball
process.chdir(process.env.HOME);
execSync('npm install --offline --silent --no-audit --no-fund /workspace/cove-near.tgz', { stdio: 'inherit' });
fs.existsSync('node_modules/cove-near/index.js')

// %% and is there at once, for require and for import
import near from 'cove-near';
[require('cove-near')(), near(), require.resolve('cove-near')]

// %% a web request of the language's own, to no network
await (await fetch('data:application/json,{"a":1}')).json()

// %% a generator, a proxy, a weak map
[(function* () { yield 1; })(), new Proxy({ a: 1 }, {}), new WeakMap()]

// %% TypeScript is understood where JavaScript is not
const typed: number[] = [1, 2, 3];
typed.reduce((sum: number, n: number): number => sum + n, 0)

// %% much output is cut and counted
for (let i = 0; i < 40000; i++) console.log(String(i).padStart(5, '0'));

// %% a long value is cut and says so
'x'.repeat(2_000_000)
