// A JavaScript context: node --expose-internals start.js, with COVE_CHANNEL in the environment.
'use strict';

const { Channel } = require('./channel.js');
const { Execution } = require('./execution.js');
const interrupts = require('./interrupts.js');
const globals = require('./globals.js');
const output = require('./output.js');

const PROTOCOL = 1;

async function main() {
  const channel = new Channel(Number(process.env.COVE_CHANNEL));
  delete process.env.COVE_CHANNEL;
  output.install();
  interrupts.install();
  const execution = new Execution(channel);
  globals.install(execution);
  // A cell may wait for something that nothing in this process will ever bring about; it is still a context.
  setInterval(() => {}, 2 ** 30);
  channel.say('ready', { language: 'javascript', version: process.versions.node, protocol: PROTOCOL });
  for (;;) {
    const message = await channel.receive();
    if (message === null) process.reallyExit(0);
    if (message.verb !== 'execute') continue; // of a later protocol, and so not for us
    channel.begin(message.execution);
    const request = JSON.parse(message.payload.toString('utf8'));
    const verdict = request.purpose === 'check' ? execution.check(request) : await execution.run(request);
    channel.say('done', verdict);
    channel.end();
  }
}

main();
