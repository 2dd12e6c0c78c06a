// The socket to pid 1: a header line and a payload. Written and, during an execution, read synchronously, so that what a cell prints and
// what it shows keep their order. Between executions a read waits in a thread of the pool.
'use strict';

const fs = require('node:fs');
const { encode } = require('./bundle.js');

const MAX_PAYLOAD = 4 << 20;
const HEADER_END = 0x0a;

class Channel {
  constructor(descriptor) {
    this.descriptor = descriptor;
    this.execution = 0;
    this.unread = Buffer.alloc(0);
    this.told = 0; // messages that are to be acknowledged, and how many were
    this.seen = 0;
  }

  begin(execution) {
    this.execution = execution;
  }

  // What a callback shows from now on belongs to no execution.
  end() {
    this.execution = 0;
  }

  say(verb, content) {
    this.#send(verb, Buffer.from(JSON.stringify(content)));
    if (verb === 'ready') this.told += 1;
  }

  event(event) {
    const bundle = encode(event);
    for (let start = 0; start < bundle.length; start += MAX_PAYLOAD) {
      const isLast = start + MAX_PAYLOAD >= bundle.length;
      this.#send(isLast ? 'event' : 'part', bundle.subarray(start, start + MAX_PAYLOAD));
    }
    this.told += 1;
    // Who does not acknowledge `ready` acknowledges nothing; between executions the pool's thread reads.
    while (this.execution !== 0 && this.seen !== 0 && this.seen < this.told) {
      if (!this.#take() && !this.#readNow()) return;
    }
  }

  // The next message that is not an acknowledgement, or null when the other side has hung up.
  async receive() {
    for (;;) {
      const message = this.#take();
      if (message && message.verb !== 'seen') return message;
      if (!message && !(await this.#readLater())) return null;
    }
  }

  #send(verb, payload) {
    write(this.descriptor, Buffer.from(`${verb} ${this.execution} ${payload.length}\n`));
    write(this.descriptor, payload);
  }

  #take() {
    const end = this.unread.indexOf(HEADER_END);
    if (end < 0) return null;
    const [verb, execution, length] = this.unread.toString('latin1', 0, end).split(' ');
    const last = end + 1 + Number(length);
    if (this.unread.length < last) return null;
    const payload = this.unread.subarray(end + 1, last);
    this.unread = this.unread.subarray(last);
    if (verb === 'seen') this.seen += 1;
    return { verb, execution: Number(execution), payload };
  }

  #readNow() {
    const buffer = Buffer.allocUnsafe(1 << 16);
    const count = again(() => fs.readSync(this.descriptor, buffer));
    this.unread = Buffer.concat([this.unread, buffer.subarray(0, count)]);
    return count > 0;
  }

  #readLater() {
    const buffer = Buffer.allocUnsafe(1 << 18);
    return new Promise((resolve) => {
      fs.read(this.descriptor, buffer, 0, buffer.length, null, (problem, count) => {
        if (problem) return resolve(problem.code === 'EINTR');
        this.unread = Buffer.concat([this.unread, buffer.subarray(0, count)]);
        resolve(count > 0);
      });
    });
  }
}

function write(descriptor, data) {
  for (let at = 0; at < data.length;) at += again(() => fs.writeSync(descriptor, data, at));
}

// A signal may interrupt a call that waits.
function again(call) {
  for (;;) {
    try {
      return call();
    } catch (problem) {
      if (problem.code !== 'EINTR') throw problem;
    }
  }
}

module.exports = { Channel };
