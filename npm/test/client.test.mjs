// The client: what it passes to the binary, what it makes of the events, and how a run ends early.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { AbortError, RunError, run, stream } from '../package/client.mjs';
import {
  BINARY, ENDLESS, ROOT, builtPackages, folderOf, hasEnded, pidOf, runProgram, runs, script, unpackInto,
} from './support.mjs';

const CONFIG = `export const config = { model: 'mock' };\n`;
/** Writes its input to a file. */
const TYPED = `import { writeFileSync } from 'node:fs';
import { z } from 'zod';
export const input = z.object({ city: z.string(), days: z.number().default(3) });
export const output = z.object({ celsius: z.number() });
${CONFIG}
export const mock = [{ type: 'text', text: '{"celsius":18}' }];
export default async ({ $ }, input) => {
  writeFileSync(new URL('input.json', import.meta.url), JSON.stringify(input));
  $\`go\`;
};
`;

const prompt = (source) => join(folderOf({ 'p.lmt.mjs': source }), 'p.lmt.mjs');
const saying = (text) => prompt(`${CONFIG}export const mock = ${JSON.stringify([].concat(text).map((text) => ({ type: 'text', text })))};\nexport default async ({ $ }) => { $\`go\`; };`);
const withBinary = (options) => ({ binary: BINARY, ...options });
const runIt = (file, options) => run(file, withBinary(options));
const streamIt = (file, options) => stream(file, withBinary(options));

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'it did not fail' });
}

const binaryOf = (file) => pidOf(join(file, '..'));

/**
 * A folder with a prompt file whose second step does not end, and a program that runs it and does `then` after the last
 * event of that step: a binary that still writes would end because its output is closed.
 */
function programOf(then) {
  const prompt = ENDLESS.replace("'mock' }", "'mock', journal: true }")
    .replace('mock = [', "mock = [{ type: 'tool-call', toolName: 'note', args: {} }, ")
    .replace('  defTool', "  defTool('note', 'Notes.', { type: 'object' }, () => 'noted');\n  defTool");
  const client = JSON.stringify(new URL('../package/client.mjs', import.meta.url));
  const main = `import { stream } from ${client};
    const options = { binary: ${JSON.stringify(BINARY)} };
    for await (const { toolName } of stream('p.lmt.mjs', options)) if (toolName === 'wait') ${then};`;
  return folderOf({ 'p.lmt.mjs': prompt, 'main.mjs': main });
}

describe('the client', { concurrency: 4 }, () => {
  test('run resolves to the object of -f json', async () => {
    const file = saying(['Hello ', 'world']);
    const printed = JSON.parse(execFileSync(BINARY, ['run', '-f', 'json', file], { encoding: 'utf8' }));
    const result = await runIt(file);
    assert.deepEqual({ ...result, durationMs: 0 }, { ...printed, durationMs: 0 });
    assert.equal(result.text, 'Hello world');
    assert.deepEqual((await runIt(pathToFileURL(file))).text, 'Hello world');
  });

  test('input arrives as it is, of any size', async () => {
    const file = prompt(TYPED);
    const received = () => JSON.parse(readFileSync(join(file, '../input.json'), 'utf8'));
    for (const city of ['Rome', 'Łódź 🏙 \u2028 "q" \\ \n\0', '@p.lmt.mjs', '-', '--days', 'x'.repeat(1_000_000)]) {
      assert.deepEqual((await runIt(file, { input: { city } })).output, { celsius: 18 });
      assert.ok(received().city === city && received().days === 3, city.slice(0, 30));
    }
    await runIt(file, { input: { city: 'Rome', days: 5 } });
    assert.deepEqual(received(), { city: 'Rome', days: 5 });
  });

  test('long answers and many events arrive whole', async () => {
    const long = 'ä\u2028\u2029\r'.repeat(300_000);
    assert.ok((await runIt(saying(long))).text === long);
    const pieces = Array.from({ length: 2000 }, (_, index) => `${index} `);
    let text = '';
    for await (const event of streamIt(saying(pieces))) if (event.type === 'text-delta') text += event.delta;
    assert.equal(text, pieces.join(''));
  });

  test('model and limits reach the run', async () => {
    const twice = prompt(`${CONFIG}export const mock = [{ type: 'tool-call', toolName: 'a', args: {} }, { type: 'text', text: 'done' }];
      export default async ({ defTool, $ }) => { defTool('a', 'A.', { type: 'object' }, () => 1); $\`go\`; };`);
    const error = await failure(runIt(twice, { limits: { steps: 1, tokens: 1000, cost: 1, time: '60s' } }));
    assert.deepEqual([error.code, error.kind, error.result.ok, error.result.steps], [4, 'limit', false, 1]);
    assert.equal(error.message, error.result.error.message);
    assert.deepEqual([(await failure(runIt(prompt(ENDLESS), { limits: { time: 700 } }))).kind], ['limit']);
    const unknown = await failure(runIt(twice, { model: 'opnai:x' }));
    assert.deepEqual([unknown.code, unknown.kind], [2, 'usage']);
    assert.match(unknown.message, /opnai/);
  });

  test('options that do not exist are refused before anything starts', async () => {
    for (const [options, message] of [
      [{ limits: { step: 1 } }, /no limit 'step'; there are steps, tokens, cost, time/],
      [{ inptu: {} }, /no option 'inptu'/],
    ]) {
      const error = await failure(runIt('p.lmt.mjs', options));
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
    }
    assert.throws(() => stream(3), /a path or a file: URL/);
  });

  test('errors have code, kind, message and result', async () => {
    const thrown = `${CONFIG}export const mock = [];\nexport default () => { throw new RangeError('too far'); };`;
    for (const [file, options, code, kind, message] of [
      [prompt(TYPED), { input: { city: 3 } }, 2, 'usage', /--city: expected string, got 3/],
      [prompt(TYPED), {}, 2, 'usage', /--city/],
      ['missing.lmt.mjs', {}, 1, 'file', /cannot find the file missing.lmt.mjs/],
      ['-missing.lmt.mjs', {}, 1, 'file', /cannot find the file .*-missing.lmt.mjs/],
      [prompt(thrown), {}, 1, 'script', /too far/],
      [prompt(CONFIG), {}, 1, 'script', /no default export/],
      [saying('x'), { model: 'openai:gpt-6-luna' }, 3, 'model', /OPENAI_API_KEY/],
    ]) {
      const error = await failure(runIt(file, options));
      assert.ok(error instanceof RunError && error.name === 'RunError', `${error}`);
      assert.deepEqual([error.code, error.kind], [code, kind], error.message);
      assert.match(error.message, message);
      assert.deepEqual([error.result.ok, error.result.error.message], [false, error.message]);
    }
  });

  test('errors without a result', async () => {
    const usage = await failure(runIt(saying('x'), { limits: { steps: -1 } }));
    assert.deepEqual([usage.code, usage.kind, usage.result], [2, 'usage', undefined]);
    assert.match(usage.message, /^invalid value '-1' for '--max-steps <N>'/);
    const killed = await failure(run('p.lmt.mjs', { binary: script('echo "out of memory" >&2; kill -9 $$') }));
    assert.deepEqual([killed.code, killed.kind], [137, 'crash']);
    assert.match(killed.message, /SIGKILL[^]*out of memory/);
    const missing = await failure(run('p.lmt.mjs', { binary: '/does/not/exist' }));
    assert.deepEqual([missing.code, missing.kind, missing.cause.code], [1, 'install', 'ENOENT']);
    const notInstalled = await failure(run('p.lmt.mjs'));
    assert.deepEqual([notInstalled.code, notInstalled.kind], [1, 'install']);
  });

  test('events arrive in order, in stream and in onEvent', async () => {
    const file = saying('Hello');
    const expected = ['run-start', 'step-start', 'text-delta', 'step-finish', 'run-finish'];
    const [seen, called] = [[], []];
    for await (const event of streamIt(file, { onEvent: ({ type }) => called.push(type) })) seen.push(event.type);
    assert.deepEqual([seen, called], [expected, expected]);
    let pending = 0;
    await runIt(file, {
      async onEvent() {
        assert.equal((pending += 1), 1);
        await wait(5);
        pending -= 1;
      },
    });
  });

  test('a stream of a run that fails throws after its last event', async () => {
    const seen = [];
    const consume = async () => {
      for await (const event of streamIt('missing.lmt.mjs')) seen.push(event.type);
    };
    assert.equal((await failure(consume())).kind, 'file');
    assert.equal(seen.at(-1), 'run-finish');
  });

  test('break ends the binary', async () => {
    const file = prompt(ENDLESS);
    for await (const event of streamIt(file)) if (event.type === 'tool-call') break;
    await hasEnded(binaryOf(file));
  });

  test('what onEvent throws ends the run', async () => {
    const file = prompt(ENDLESS);
    const mine = new Error('mine');
    const onEvent = ({ type }) => {
      if (type === 'text-delta') throw mine;
    };
    assert.equal(await failure(runIt(file, { onEvent })), mine);
    await hasEnded(binaryOf(file));
  });

  test('abort ends the binary', async () => {
    const file = prompt(ENDLESS);
    const controller = new AbortController();
    const onEvent = ({ type }) => {
      if (type === 'tool-call') controller.abort('enough');
    };
    const error = await failure(runIt(file, { signal: controller.signal, onEvent }));
    assert.ok(error instanceof AbortError);
    assert.deepEqual([error.name, error.code, error.kind, error.cause], ['AbortError', 'ABORT_ERR', 'aborted', 'enough']);
    // A binary that is busy for too long ends without a report.
    if (error.result) assert.deepEqual([error.result.text, error.result.error.kind], ['begun', 'interrupted']);
    await hasEnded(binaryOf(file));
  });

  test('the time limit of a signal aborts the run', async () => {
    const file = prompt(ENDLESS);
    const signal = AbortSignal.timeout(400);
    const error = await failure(runIt(file, { signal }));
    assert.deepEqual([error.name, error.cause.name], ['AbortError', 'TimeoutError']);
  });

  test('a signal that is aborted starts nothing', async () => {
    const file = prompt(ENDLESS);
    for (const consume of [runIt, async (...args) => streamIt(...args).next()]) {
      assert.equal((await failure(consume(file, { signal: AbortSignal.abort() }))).name, 'AbortError');
    }
    assert.ok(!existsSync(join(file, '../pid')));
  });

  test('a binary that does not end is killed', async () => {
    const stubborn = script(`trap '' TERM\necho "{\\"type\\":\\"run-start\\",\\"agent\\":[],\\"pid\\":$$}"\nwhile :; do sleep 0.1; done`);
    const controller = new AbortController();
    let pid;
    const onEvent = (event) => {
      ({ pid } = event);
      controller.abort();
    };
    const error = await failure(run('p.lmt.mjs', { binary: stubborn, signal: controller.signal, onEvent }));
    assert.deepEqual([error.name, runs(pid)], ['AbortError', false]);
  });

  test('the script prints to standard error, and only when asked', async () => {
    const source = `${CONFIG}export const mock = [];\nexport default async ({ $ }) => { console.log('printed', process.env.LMTHING_PARENT_PID); $\`go\`; };`;
    const folder = folderOf({
      'p.lmt.mjs': source,
      'main.mjs': `import { run } from ${JSON.stringify(new URL('../package/client.mjs', import.meta.url))};
        await run('p.lmt.mjs', JSON.parse(process.argv[2]));`,
    });
    for (const [options, expected] of [[{ stderr: 'inherit' }, /^printed undefined/], [{}, /^$/]]) {
      const args = ['-c', 'node main.mjs "$0" 2>&1', JSON.stringify(withBinary(options))];
      assert.match(execFileSync('sh', args, { cwd: folder, encoding: 'utf8' }), expected);
    }
  });

  test('runs end with the process', async () => {
    const folder = programOf('process.exit(7)');
    const env = { ...process.env, LMTHING_JOURNAL: join(folder, 'journal.db') };
    assert.equal((await runProgram('node', ['main.mjs'], { cwd: folder, env })).code, 7);
    await hasEnded(pidOf(folder));
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL']) {
    test(`runs end with a process that ${signal} ends alone`, async () => {
      const folder = programOf(`console.log('waits')`);
      const options = { cwd: folder, env: { ...process.env, LMTHING_JOURNAL: join(folder, 'journal.db') } };
      const started = (child) => child.stdout.once('data', () => child.kill(signal));
      const ended = await runProgram('node', ['main.mjs'], { ...options, started });
      assert.equal(ended.signal, signal, ended.stderr);
      await hasEnded(pidOf(folder));
      const [journaled] = JSON.parse(execFileSync(BINARY, ['runs', '--json'], options));
      assert.deepEqual([journaled.status, journaled.steps, journaled.error?.code], ['interrupted', 1, 143]);
    });
  }

  test('a process id that is not that of the parent is ignored', () => {
    const env = { ...process.env, LMTHING_PARENT_PID: String(process.ppid) };
    assert.match(execFileSync(BINARY, ['--version'], { env, encoding: 'utf8' }), /^lmthing /);
  });

  test('the guide runs', async () => {
    const page = (name) => readFileSync(join(ROOT, 'docs/guide', name), 'utf8');
    const blocks = (text) => [...text.matchAll(/^```js\n(?:\/\/ (\S+)\n)?([^]*?)^```$/gm)].map(([, name, code]) => [name, code]);
    const prompts = blocks(page('typed-files.md')).filter(([name]) => /^(forecast|summarize)\./.test(name));
    const folder = folderOf(Object.fromEntries([...prompts, ...blocks(page('node.md'))]));
    unpackInto(folder, builtPackages());
    const report = await runProgram('node', ['report.mjs'], { cwd: folder });
    assert.deepEqual([report.stdout, report.stderr], ['18 0\nThe bridge opens on Monday.', '']);
    const patient = await runProgram('node', ['patient.mjs'], { cwd: folder });
    assert.deepEqual([patient.code, patient.stdout, patient.stderr], [0, '', '']);
  });
});
