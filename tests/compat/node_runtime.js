// Node: files, watching, children, worker threads, an HTTP server on loopback, streams, crypto, compression.
const assert = require('assert');
const childProcess = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const { once } = require('events');
const { pipeline } = require('stream/promises');
const { Worker } = require('worker_threads');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'compat-'));

const checks = {
  async files() {
    const file = path.join(work, 'a');
    await fs.promises.writeFile(file, 'x'.repeat(1 << 20));
    await fs.promises.copyFile(file, file + '.copy');
    await pipeline(fs.createReadStream(file), fs.createWriteStream(file + '.piped'));
    assert.strictEqual(fs.statSync(file + '.piped').size, 1 << 20);
    await fs.promises.rename(file + '.piped', file + '.renamed');
    assert.deepStrictEqual(fs.readdirSync(work).sort(), ['a', 'a.copy', 'a.renamed']);
  },
  async watching() {
    const watcher = fs.watch(work);
    const event = once(watcher, 'change');
    fs.writeFileSync(path.join(work, 'watched'), '1');
    await event;
    watcher.close();
  },
  async children() {
    assert.strictEqual(childProcess.execFileSync('echo', ['hello']).toString(), 'hello\n');
    const child = childProcess.spawn('cat');
    child.stdin.end('through a pipe');
    const [data] = await once(child.stdout, 'data');
    assert.strictEqual(data.toString(), 'through a pipe');
    const forked = childProcess.fork(__filename, ['--child']);
    const [message] = await once(forked, 'message');
    assert.strictEqual(message, 42);
  },
  async worker_threads() {
    const code = 'const {parentPort, workerData} = require("worker_threads"); parentPort.postMessage(workerData * 2)';
    const answers = await Promise.all([1, 2, 3, 4].map(async (number) => {
      const [answer] = await once(new Worker(code, { eval: true, workerData: number }), 'message');
      return answer;
    }));
    assert.deepStrictEqual(answers, [2, 4, 6, 8]);
  },
  async http_on_loopback() {
    const server = http.createServer((request, response) => response.end(`you asked for ${request.url}`));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const response = await fetch(`http://127.0.0.1:${server.address().port}/x`);
    assert.strictEqual(await response.text(), 'you asked for /x');
    server.closeAllConnections();
    server.close();
  },
  async crypto_and_compression() {
    const text = Buffer.from('hello '.repeat(1000));
    assert.deepStrictEqual(zlib.gunzipSync(zlib.gzipSync(text)), text);
    assert.strictEqual(crypto.createHash('sha256').update('').digest('hex').slice(0, 8), 'e3b0c442');
    assert.strictEqual(crypto.scryptSync('secret', 'salt', 32).length, 32);
  },
  async machine() {
    assert.ok(os.cpus().length >= 1);
    assert.ok(os.totalmem() > 0);
    assert.ok(process.memoryUsage().rss > 0);
  },
};

async function main() {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      console.log(`not ok ${name}`, error);
      process.exit(1);
    }
    console.log(`ok ${name}`);
  }
  fs.rmSync(work, { recursive: true });
}

if (process.argv[2] === '--child') {
  process.send(42);
} else {
  main();
}
