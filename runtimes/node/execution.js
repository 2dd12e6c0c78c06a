// One cell, from its code to `done`.
'use strict';

const vm = require('node:vm');
const errors = require('./errors.js');
const interrupts = require('./interrupts.js');
const output = require('./output.js');
const values = require('./values.js');
const { rewrite } = require('./rewrite.js');
const { strip } = require('./typescript.js');

// What process.exit() throws. User code may catch it; the exit is remembered all the same.
class Exit {
  constructor(code) {
    this.code = code;
  }
}

class Interrupted extends Error {
  constructor() {
    super('the execution was interrupted');
    this.name = 'KeyboardInterrupt';
    this.stack = '';
  }
}

class Execution {
  #channel;
  #count = 0;
  #current = null; // {end, exit, failed}: of the cell that runs

  constructor(channel) {
    this.#channel = channel;
    this.waited = this.waited.bind(this);
  }

  async run({ code, stdin, language }) {
    this.#count += 1;
    const cell = { failed: false, exit: null };
    cell.ended = new Promise((resolve) => { cell.end = resolve; });
    this.#current = cell;
    this.#listen();
    output.provide(stdin);
    interrupts.begin();
    this.#start(code, language, cell).then(cell.end, (problem) => { this.#fail(problem, cell); cell.end(); });
    const unwatch = interrupts.watch(() => this.#stop(new Interrupted()));
    await cell.ended;
    unwatch();
    // Rejections that nobody handles are told when the queue of microtasks has run dry.
    await new Promise((resolve) => { setImmediate(resolve); });
    this.#current = null;
    if (cell.exit && cell.exit.code !== 0) this.#tell({ type: 'error', name: 'Exit', value: String(cell.exit.code), traceback: `process.exit(${cell.exit.code})` }, cell);
    return { status: cell.failed ? 'error' : 'ok', exit_code: cell.exit ? cell.exit.code : null };
  }

  // Whether the code is a whole cell; nothing of it is run.
  check({ code, language }) {
    this.#channel.event({ type: 'completeness', status: completeness(code, language) });
    return { status: 'ok', exit_code: null };
  }

  async #start(source, language, cell) {
    const name = `Cell In[${this.#count}]`;
    const { script, hasValue, isAsync } = compile(source, language, name);
    let value = script.runInThisContext({ breakOnSigint: true, displayErrors: false });
    if (isAsync) value = (await value)?.value;
    if (!hasValue) return;
    if (value instanceof Promise) value = await this.waited(value);
    if (value !== undefined && this.#current === cell) this.show('result', values.describe(value), { execution_count: this.#count });
  }

  // What a top-level await waits for. Of an execution that is over, it waits for ever.
  waited(thing) {
    const cell = this.#current;
    return new Promise((resolve, reject) => {
      const passOn = (settle) => (value) => { if (this.#current === cell) settle(value); };
      Promise.resolve(thing).then(passOn(resolve), passOn(reject));
    });
  }

  exit(code) {
    const stop = new Exit(Number(code ?? process.exitCode ?? 0) & 0xff);
    process.exitCode = undefined;
    if (this.#current) this.#current.exit ??= stop;
    this.#current?.end();
    throw stop;
  }

  show(type, data, more) {
    const notes = [];
    const fitting = values.fit(data, (note) => notes.push(note));
    if (Object.keys(fitting).length) this.#channel.event({ type, data: fitting, metadata: {}, ...more });
    for (const text of notes) this.#channel.event({ type: 'notice', text });
  }

  // An error that no code of the cell can catch any more.
  #stop = (problem) => {
    const cell = this.#current;
    if (problem instanceof Exit) return;
    this.#fail(problem, cell);
    cell?.end();
  };

  #fail(problem, cell) {
    if (problem instanceof Exit || cell?.exit) return;
    const interrupted = problem?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
    this.#tell({ type: 'error', ...errors.describe(interrupted ? new Interrupted() : problem) }, cell);
  }

  #tell(event, cell) {
    if (cell) cell.failed = true;
    this.#channel.event(event);
  }

  // Before each cell: user code may have removed the listeners.
  #listen() {
    for (const [name, listener] of [['uncaughtException', this.#stop], ['unhandledRejection', this.#stop]]) {
      if (!process.listeners(name).includes(listener)) process.on(name, listener);
    }
  }
}

function compile(source, language, name) {
  errors.remember(name, source);
  let cell;
  try {
    cell = language === 'typescript' ? fromTypeScript(source) : rewrite(source);
  } catch (problem) {
    cell = language === 'typescript' ? null : asTypeScript(source);
    if (!cell) throw errors.syntaxError(problem, name);
  }
  errors.remember(name, source, cell);
  replaceAccessors(cell.names);
  const script = new vm.Script(cell.code, {
    filename: name, columnOffset: cell.offset, importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER, // Node 18 has none
  });
  return { ...cell, script };
}

// Whether code is a whole cell in one of the languages that it may be in, or could become one.
function completeness(code, language) {
  const readings = [fromTypeScript];
  if (language !== 'typescript') readings.unshift(rewrite);
  const judgements = readings.map((read) => judgement(read, code));
  return ['complete', 'incomplete', 'invalid'].find((one) => judgements.includes(one));
}

// Code that the parser gives up on at its very end, or within something that is never closed, lacks its rest.
function judgement(read, code) {
  try {
    read(code);
    return 'complete';
  } catch ({ message, pos }) {
    const lacksItsRest = pos === code.length || /^Unterminated (template|comment)/.test(message) || /^(Unexpected eof|Expected .*<eof>)/.test(message);
    return lacksItsRest ? 'incomplete' : 'invalid';
  }
}

// What is no JavaScript may be TypeScript.
function asTypeScript(source) {
  try {
    return fromTypeScript(source);
  } catch {
    return null;
  }
}

function fromTypeScript(source) {
  const { code, placeOf } = strip(source);
  const cell = rewrite(code);
  return { ...cell, placeOf: (line, column) => placeOf(line, cell.placeOf(line, column).column) };
}

// Some globals are accessors without a setter; a cell that declares such a name means a variable.
function replaceAccessors(names) {
  for (const name of names) {
    const found = Object.getOwnPropertyDescriptor(globalThis, name);
    if (found?.configurable && found.get) Object.defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true });
  }
}

module.exports = { Execution };
