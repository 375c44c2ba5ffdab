// Node modules beyond what a printed result can show; the rest is in expressions.mjs.
import assert from 'node:assert';
import { Buffer as BufferOfModule } from 'buffer';
import * as crypto from 'node:crypto';
import EventEmitter, { on, once } from 'node:events';
import os from 'node:os';
import path from 'path';
import { setTimeout as wait } from 'node:timers/promises';
import url from 'node:url';
import util, { promisify } from 'node:util';
import processModule, { env } from 'node:process';
import { equal, failure, failures, ok, test } from './check.mjs';

test('names with and without node: are the same module', async () => {
  const names = 'assert assert/strict buffer crypto events fs fs/promises os path path/posix path/win32 process querystring stream/web string_decoder timers timers/promises url util util/types';
  for (const name of names.split(' ')) {
    const [plain, prefixed] = [await import(name), await import(`node:${name}`)];
    ok(plain === prefixed, `one module for ${name}`);
    ok(plain.default !== undefined, `a default export of ${name}`);
    const missing = Object.entries(plain).filter(([, value]) => value === undefined);
    // Only what the running process does not have may be empty.
    equal(missing.map(([key]) => key).filter((key) => name !== 'process' && key !== 'usingDomains'), []);
  }
});

test('modules share the globals', () => {
  ok(BufferOfModule === Buffer && url.URL === URL && util.TextDecoder === TextDecoder);
  ok(crypto.webcrypto === globalThis.crypto && processModule === process && env === process.env);
});

test('globals can be replaced, as in Node', () => {
  const original = globalThis.fetch;
  globalThis.fetch = () => 'mocked';
  equal(fetch(), 'mocked');
  globalThis.fetch = original;
  equal(Object.keys(globalThis).includes('URL'), false);
});

test('emitters with promises', async () => {
  const emitter = new EventEmitter();
  setTimeout(() => emitter.emit('ready', 1, 2), 1);
  equal(await once(emitter, 'ready'), [1, 2]);
  setTimeout(() => emitter.emit('error', new Error('bad')), 1);
  equal((await failure(() => once(emitter, 'ready'))).message, 'bad');
  const controller = new AbortController();
  setTimeout(() => {
    emitter.emit('tick', 'a');
    emitter.emit('tick', 'b');
    controller.abort();
  }, 1);
  const seen = [];
  const error = await failure(async () => {
    for await (const [value] of on(emitter, 'tick', { signal: controller.signal })) seen.push(value);
  });
  equal([seen, error.name, error.code], [['a', 'b'], 'AbortError', 'ABORT_ERR']);
  equal((await failure(() => emitter.emit('error', 'text'))).message, "Unhandled error. ('text')");
  class Mine extends EventEmitter {}
  ok(new Mine().on('x', () => {}) instanceof EventEmitter);
});

test('random values', () => {
  ok(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(globalThis.crypto.randomUUID()));
  ok(crypto.randomUUID() !== crypto.randomUUID());
  equal(crypto.randomBytes(16).length, 16);
  ok(crypto.randomBytes(16).toString('hex') !== crypto.randomBytes(16).toString('hex'));
  for (let index = 0; index < 100; index++) {
    const value = crypto.randomInt(3, 6);
    ok(value >= 3 && value < 6);
  }
  ok(globalThis.crypto.getRandomValues(new Uint32Array(8)).some((value) => value !== 0));
});

test('promisify and timers', async () => {
  const add = (a, b, callback) => callback(null, a + b);
  equal(await promisify(add)(1, 2), 3);
  equal(await promisify(setTimeout)(1, 'later'), 'later');
  equal(await wait(1, 'value'), 'value');
  const error = await failure(() => wait(1000, null, { signal: AbortSignal.timeout(1) }));
  equal([error.name, error.code], ['AbortError', 'ABORT_ERR']);
});

test('assertions', async () => {
  assert.deepStrictEqual({ a: [1, new Map([[1, 2]])] }, { a: [1, new Map([[1, 2]])] });
  const error = await failure(() => assert.strictEqual(1, 2));
  equal([error.name, error.code, error.actual, error.expected], ['AssertionError', 'ERR_ASSERTION', 1, 2]);
  ok(error.message.startsWith('Expected values to be strictly equal:'));
  await assert.rejects(async () => {
    throw new TypeError('x');
  }, TypeError);
  assert.throws(() => assert.deepStrictEqual([1], ['1']), { code: 'ERR_ASSERTION' });
});

test('the machine', () => {
  equal([os.platform(), os.EOL, os.homedir()], [process.platform, '\n', '/home/test']);
  ok(os.cpus().length > 0 && os.hostname() !== '' && os.totalmem() > os.freemem() && os.uptime() > 0);
  ok(path.isAbsolute(os.tmpdir()) && os.release() !== '');
});

test('what is not offered says so', async () => {
  const error = await failure(() => import('node:test'));
  ok(/test/.test(error.message) && /does not offer|not offer/.test(error.message));
  ok(/does not offer crypto\.createDiffieHellman/.test((await failure(() => crypto.createDiffieHellman(64))).message));
  ok((await failure(() => import('lmthing:internal/native/fs'))) instanceof Error);
});

export default await failures();
