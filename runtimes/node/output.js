// console, process.stdout and process.stderr: written to descriptors 1 and 2 at once, like what children write there.
'use strict';

const fs = require('node:fs');
const { Console } = require('node:console');
const { Readable, Writable } = require('node:stream');

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

function install() {
  for (const [name, descriptor] of [['stdout', 1], ['stderr', 2]]) {
    const stream = new Descriptor(descriptor);
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  }
  globalThis.console = new Console({ stdout: process.stdout, stderr: process.stderr, colorMode: false });
  provide(null);
}

// process.stdin: the text that came with the execution.
function provide(text) {
  const stream = Readable.from(text === null || text === undefined || text === '' ? [] : [text], { objectMode: false });
  stream.fd = 0;
  stream.isTTY = false;
  Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, get: () => stream });
}

class Descriptor extends Writable {
  constructor(descriptor) {
    super({ decodeStrings: true });
    this.fd = descriptor;
    this.isTTY = false;
  }

  // Not _write: a stream that has been ended or destroyed by a cell still prints what the next one says.
  write(chunk, encoding, callback) {
    const done = typeof encoding === 'function' ? encoding : callback;
    writeAll(this.fd, typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk);
    if (done) process.nextTick(done);
    return true;
  }

  _write(chunk, _encoding, callback) {
    writeAll(this.fd, chunk);
    callback();
  }

  end(chunk, encoding, callback) {
    if (chunk !== undefined && typeof chunk !== 'function') this.write(chunk, encoding);
    const done = [chunk, encoding, callback].find((word) => typeof word === 'function');
    if (done) process.nextTick(done);
    return this;
  }

  destroy() {
    return this;
  }
}

// A child may have made the pipe non-blocking, and then a full one says so instead of waiting.
function writeAll(descriptor, data) {
  for (let at = 0; at < data.length;) {
    try {
      at += fs.writeSync(descriptor, data, at);
    } catch (problem) {
      if (problem.code === 'EAGAIN') Atomics.wait(PAUSE, 0, 0, 1);
      else if (problem.code !== 'EINTR') return; // user code closed it: its output is lost, its state is not
    }
  }
}

module.exports = { install, provide };
