//! `run(file, options)` of `lmthing/test`. The assertions are in test files, as an author writes them.

use crate::support::{Folder, Outcome};

/// Calls tools in every way: two at once of which the first is slower, one that throws, one that does not exist, an
/// agent.
const TRAVEL: &str = "
import { z } from 'zod';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'openai:gpt-4o' };
export const input = z.object({ city: z.string(), days: z.number().default(2) });
const call = (toolName, args) => ({ type: 'tool-call', toolName, args });
export const mock = [call('slow', { city: 'Rome' }), call('fast', { city: 'Rome' }), call('breaks', {}), call('lost', {}),
  call('guide', { request: 'Rome' }), { type: 'text', text: 'Sunny' }];
globalThis.loaded = (globalThis.loaded ?? 0) + 1;
export default async ({ defTool, defSystem, defAgent, $ }, { city, days }) => {
  defSystem('role', `You know ${city}`);
  const city_ = z.object({ city: z.string() });
  defTool('slow', 'Takes long', city_, async ({ city }) => { await new Promise((done) => setTimeout(done, 20)); return { city, loaded }; });
  defTool('fast', 'Does not', city_, async ({ city }) => city.toUpperCase());
  defTool('breaks', 'Throws', z.object({}), async () => { throw new Error('out of order'); });
  const options = { model: createMockModel([call('fast', { city: 'Ostia' }), { type: 'text', text: 'by train' }]) };
  defAgent('guide', 'Knows ways', z.object({ request: z.string() }), async ({ request }, { $, defTool }) => {
    defTool('fast', 'Of its own', city_, async ({ city }) => city.length);
    $`${request}`;
  }, options);
  console.log(`${process.env.TONE} ${days}`);
  $`How is it?`;
};
";

const WORD: &str = "
export const config = { model: 'mock' };
export default async ({ $ }) => { $`go`; };
";

/// The beginning of each test file.
const HEAD: &str = "import { createMockModel, run, test } from 'lmthing/test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
";

/// Runs a test file next to these prompt files.
fn test(files: &[(&str, &str)], tests: &str) -> (Folder, Outcome) {
    let folder = Folder::new(files);
    folder.write("a.test.lmt.mjs", &format!("{HEAD}{tests}"));
    let outcome = folder.run("test a.test.lmt.mjs");
    (folder, outcome)
}

/// Like [`test`]; all tests must pass.
fn passes(files: &[(&str, &str)], tests: &str) -> Outcome {
    let (_folder, outcome) = test(files, tests);
    assert_eq!(outcome.code, 0, "{}\n{}", outcome.stdout, outcome.stderr);
    outcome
}

#[test]
fn a_run_returns_its_results() {
    let tests = "
test('all of it', async () => {
  const answer = await run('./travel.lmt.mjs', { model: 'mock', input: { city: 'Rome' }, env: { TONE: 'dry' } });
  assert.equal(answer.text, 'Sunny');
  assert.equal(answer.finishReason, 'stop');
  assert.equal(answer.cost, 0);
  assert.equal(answer.usage.totalTokens, 0);
  assert.equal('error' in answer || 'output' in answer, false);
  assert.equal(answer.steps.length, 6);
  assert.deepEqual(answer.steps[0].input.prompt[0], { role: 'system', content: '<role>\\nYou know Rome\\n</role>' });
  assert.equal(answer.prompt.steps, answer.steps);
  const calls = answer.toolCalls.map(({ toolName, input, agent }) => [agent.join('/'), toolName, input]);
  assert.deepEqual(calls, [['', 'slow', { city: 'Rome' }], ['', 'fast', { city: 'Rome' }], ['', 'breaks', {}], ['', 'lost', {}],
    ['', 'guide', { request: 'Rome' }], ['guide', 'fast', { city: 'Ostia' }]]);
  const [slow, fast, breaks, lost, guide, inner] = answer.toolCalls.map(({ output }) => output);
  assert.deepEqual([slow, fast, inner], [{ city: 'Rome', loaded: 1 }, 'ROME', 5]);
  assert.match(JSON.stringify(breaks), /out of order/);
  assert.match(JSON.stringify(lost), /unavailable tool 'lost'/);
  assert.match(JSON.stringify(guide), /by train/);
  assert.equal(new Set(answer.toolCalls.map(({ toolCallId }) => toolCallId)).size >= 5, true);
  assert.equal(answer[Symbol.for('lmthing.run')], true);
  const [first] = answer.prompt.fullSteps;
  assert.deepEqual(first.input.tools.map(({ name }) => name), ['slow', 'fast', 'breaks', 'guide']);
  assert.equal(first.output.find(({ type }) => type === 'tool-call').toolName, 'slow');
});
test('calls made at once stand in the order they were made', async () => {
  const model = answers(() => [call('one', 'slow'), call('two', 'fast'), finish('tool-calls')], () => [...says('done')]);
  const answer = await run('./travel.lmt.mjs', { model, input: { city: 'Rome' } });
  assert.deepEqual(answer.toolCalls.map(({ toolCallId, output }) => [toolCallId, output.city ?? output]), [['one', 'Oslo'], ['two', 'OSLO']]);
});
";
    let outcome = passes(&[("travel.lmt.mjs", TRAVEL)], &format!("{OWN_MODEL}{tests}"));
    assert!(outcome.stderr.contains("dry 2"), "what a prompt file prints is on stderr: {outcome:?}");
}

/// A model that a test defines: answers with the parts of one function after the other.
const OWN_MODEL: &str = "
const finish = (finishReason) => ({ type: 'finish', finishReason, usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } });
const call = (toolCallId, toolName) => ({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify({ city: 'Oslo' }) });
const says = (text) => [{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: text }, { type: 'text-end', id: '0' }, finish('stop')];
const answers = (...turns) => ({
  specificationVersion: 'v2', provider: 'my', modelId: 'own', asked: [],
  async doStream(options) {
    this.asked.push(options);
    await new Promise((done) => setTimeout(done, 1));
    const parts = turns.shift()(options);
    return { stream: new ReadableStream({ start(to) { parts.forEach((part) => to.enqueue(part)); to.close(); } }) };
  },
});
";

#[test]
fn the_model_that_the_test_names_answers() {
    let tests = "
test('items', async () => {
  assert.equal((await run('./word.lmt.mjs', { mock: [{ type: 'text', text: 'hi' }] })).text, 'hi');
  assert.equal((await run(new URL('./word.lmt.mjs', import.meta.url), { mock: [{ type: 'text', text: 'hi' }] })).text, 'hi');
});
test('a mock goes on where the run before has left it', async () => {
  const call = { type: 'tool-call', toolName: 'none', args: {} };
  const model = createMockModel([call, { type: 'text', text: 'one' }, { type: 'finish', finishReason: 'length' }, { type: 'text', text: 'two' }]);
  const one = await run('./word.lmt.mjs', { model });
  assert.deepEqual([one.text, one.finishReason, one.steps.length], ['one', 'length', 2]);
  assert.equal((await run('./word.lmt.mjs', { model })).text, 'two');
});
test('a model written in the test', async () => {
  const model = answers(() => says('mine'));
  const answer = await run('./word.lmt.mjs', { model });
  assert.deepEqual([answer.text, answer.usage.totalTokens, answer.cost], ['mine', 15, null]);
  assert.equal(model.asked[0].prompt[0].content[0].text, 'go');
});
test('many at once', async () => {
  const runs = Array.from({ length: 12 }, (_, index) => run('./word.lmt.mjs', { model: answers(() => says(`n${index}`)) }));
  assert.deepEqual((await Promise.all(runs)).map(({ text }) => text), Array.from({ length: 12 }, (_, index) => `n${index}`));
});
test('prices of the environment', async () => {
  const env = { LMTHING_PRICES: '{\"my:own\":{\"input\":1,\"output\":2}}' };
  assert.equal((await run('./word.lmt.mjs', { model: answers(() => says('x')), env })).cost, 2e-5);
});
";
    passes(&[("word.lmt.mjs", WORD)], &format!("{OWN_MODEL}{tests}"));
}

#[test]
fn input_and_environment_are_those_of_the_call() {
    let prompt = "
export const config = { model: 'mock' };
export const mock = [];
export const input = { type: 'object', properties: { note: { type: 'string' }, tags: { type: 'array', items: { type: 'string' }, default: ['a'] } }, required: ['note'] };
export const count = (globalThis.count = (globalThis.count ?? 0) + 1);
export default async ({ $ }, { note, tags }) => { $`${note} ${tags.join()} ${process.env.ONE} ${process.env.TWO} ${count} ${process.argv.length}`; };
";
    let tests = "
const said = async (options) => (await run('./say.lmt.mjs', { ...options, model: 'mock' })).steps[0].input.prompt[0].content[0].text;
test('input', async () => {
  assert.equal(await said({ input: { note: '@nowhere' } }), '@nowhere a   1 2');
  assert.equal(await said({ input: { note: '-', tags: [] }, env: { ONE: '1' } }), '-  1  1 2');
});
test('environment', async () => {
  process.env.TWO = 'of the test';
  assert.equal(await said({ input: { note: 'n' } }), 'n a  of the test 1 2');
  assert.equal(await said({ input: { note: 'n' }, env: { TWO: undefined } }), 'n a   1 2');
  assert.equal(process.env.TWO, 'of the test');
});
test('wrong input is what the run fails with', async () => {
  for (const input of [undefined, { nte: 'x' }, { note: 7 }, 'x', null, []]) {
    const { error, steps, text } = await run('./say.lmt.mjs', { input, model: 'mock' });
    assert.deepEqual([error.code, error.kind, steps, text], [2, 'usage', [], '']);
  }
  const { error } = await run('./say.lmt.mjs', { input: { nte: 'x' }, model: 'mock' });
  assert.equal(error.hint, 'the input has nte; did you mean note?');
});
";
    passes(&[("say.lmt.mjs", prompt)], tests);
}

#[test]
fn a_wrong_call_has_a_precise_error() {
    let tests = "
const own = { doStream() {} };
for (const [options, message] of [
  [7, 'run: the options must be an object such as { input, model }, got a number'],
  [{ modle: 'mock' }, \"run: there is no option 'modle'; did you mean 'model'?\"],
  [{ vars: {} }, \"run: there is no option 'vars'; variables are set with env: { NAME: 'value' }\"],
  [{ plugins: [] }, \"run: there is no option 'plugins'; the file runs with its own, as with lmthing run\"],
  [{ model: 'mock', mock: [] }, 'run: model and mock cannot go together; each says who answers, so leave one out'],
  [{ recording: 'x.json', mock: [] }, 'run: mock and recording cannot go together; each says who answers, so leave one out'],
  [{ recording: 'x.json', model: own }, 'run: a model that answers by itself and recording cannot go together; each says who answers, so leave one out'],
  [{ mock: own }, 'run: mock must be an array of mock items, got an object; a model goes under model'],
  [{ mock: [{ type: 'txt' }] }, /^run: mock: mock item 0 needs a 'type'/],
  [{ model: [] }, /^run: model must be 'provider:model', 'mock' or a model object such as createMockModel.*got an array; mock items go under mock/],
  [{ model: {} }, /^run: model must be .* got an object/],
  [{ env: { A: 1 } }, 'run: env.A must be a string, or undefined to unset it, got a number'],
  [{ timeout: -1 }, 'run: timeout must be milliseconds above 0, got -1'],
  [{ input: () => 1 }, 'run: input must be data that JSON can hold, got a function'],
  [{ input: 3n }, /^run: input must be data that JSON can hold: /],
  [{ recording: 7 }, 'run: recording must be a path or a file: URL, got a number'],
]) test(String(message), () => assert.rejects(run('./word.lmt.mjs', options), { name: 'TypeError', message }));
test('files', async () => {
  await assert.rejects(run(), { name: 'TypeError', message: 'run: the file must be a path or a file: URL, got undefined' });
  await assert.rejects(run('./wrd.lmt.mjs'), /run: cannot find the file .*wrd\\.lmt\\.mjs/);
  await assert.rejects(run('.'), /is a directory, not a prompt file/);
  const error = await run('./word.lmt.mjs', 7).catch((error) => error);
  assert.match(error.stack, /a\\.test\\.lmt\\.mjs:\\d+/);
});
";
    passes(&[("word.lmt.mjs", WORD)], tests);
}

#[test]
fn a_failed_run_returns_its_error() {
    let body = |body: &str| {
        format!(
            "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'so far' }}];\nexport default async ({{ $ }}) => {{ $`go`; {body} }};\n"
        )
    };
    let (throws, exits, exits_late, rejects) = (
        body("throw new Error(`no ${process.env.MY_API_KEY}`);"),
        body("process.exit(3);"),
        body("setTimeout(() => process.exit(4), 50);"),
        body("Promise.reject(new Error('lost'));"),
    );
    let (stack, stuck) = (body("const f = () => f() + 1; f();"), body("await new Promise(() => {});"));
    let files = [
        ("throws.lmt.mjs", throws.as_str()),
        ("exits.lmt.mjs", &exits),
        ("late.lmt.mjs", &exits_late),
        ("rejects.lmt.mjs", &rejects),
        ("stack.lmt.mjs", &stack),
        ("stuck.lmt.mjs", &stuck),
        ("syntax.lmt.mjs", "export default async ( => {};"),
        (
            "nested.lmt.mjs",
            "import { run } from 'lmthing/test';\nexport const config = { model: 'mock' };\nexport const mock = [];\nexport default () => run('./word.lmt.mjs');",
        ),
        ("word.lmt.mjs", WORD),
        (
            "output.lmt.mjs",
            "export const config = { model: 'mock' };\nexport const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };\nexport default ({ $ }) => { $`go`; };",
        ),
    ];
    let tests = "
const ends = async (name, options) => {
  const { error, text } = await run(`./${name}.lmt.mjs`, options);
  return [error?.code, error?.kind, error?.message, text];
};
test('code of its own', async () => {
  const answer = await run('./throws.lmt.mjs', { env: { MY_API_KEY: 'sk-proj-abcdefghij0123456789' } });
  assert.deepEqual(answer.error, { code: 1, kind: 'script', message: 'no [redacted]' });
  assert.deepEqual(await ends('exits'), [3, 'exit', 'the script ended the run with exit code 3', '']);
  assert.deepEqual(await ends('late'), [4, 'exit', 'the script ended the run with exit code 4', 'so far']);
  assert.deepEqual(await ends('rejects'), [1, 'script', 'lost', 'so far']);
  assert.deepEqual(await ends('stack'), [1, 'script', 'RangeError: Maximum call stack size exceeded', '']);
  assert.match((await ends('stuck'))[2], /waits for a promise that nothing can settle any more/);
  assert.match((await ends('syntax'))[2], /^SyntaxError/);
  assert.match((await ends('nested'))[2], /^run of lmthing\\/test is for test files/);
});
test('models', async () => {
  assert.deepEqual(await ends('word', { mock: [{ type: 'text', text: 'half' }, { type: 'error', error: 'gone' }] }), [3, 'model', 'mock:mock: gone', 'half']);
  assert.deepEqual((await ends('word', { model: 'mock' })).slice(0, 2), [1, 'script']);
});
test('output', async () => {
  const good = await run('./output.lmt.mjs', { mock: [{ type: 'text', text: '{\"n\":1}' }] });
  assert.deepEqual([good.output, good.error], [{ n: 1 }, undefined]);
  const bad = await run('./output.lmt.mjs', { mock: [{ type: 'text', text: 'no' }, { type: 'finish', finishReason: 'stop' }, { type: 'text', text: 'no' }] });
  assert.deepEqual([bad.output, bad.error.code, bad.error.kind], [undefined, 3, 'output']);
});
test('its own timeout', async () => {
  const answer = await run('./stuck.lmt.mjs', { timeout: 30 });
  assert.deepEqual([answer.error.code, answer.error.kind, answer.error.message], [4, 'limit', 'the run was ended by its timeout of 30 ms']);
});
";
    let outcome = passes(&files, tests);
    assert!(!outcome.stderr.contains("abcdefghij") && !outcome.stdout.contains("abcdefghij"), "{outcome:?}");
}

#[test]
fn a_run_ends_with_its_test() {
    let body = |body: &str| {
        format!(
            "import fs from 'node:fs';\nimport {{ spawnSync, spawn }} from 'node:child_process';\nexport const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'x' }}];\nexport default ({{ $ }}) => {{ $`go`; {body} }};\n"
        )
    };
    let (ticks, spins) = (body("setInterval(() => fs.appendFileSync('ticks', '.'), 2);"), body("for (;;);"));
    let (waits, starts) = (
        body("spawnSync('sleep', ['100']);"),
        body("fs.writeFileSync('pid', String(spawn('sleep', ['100'], { stdio: 'ignore' }).pid));"),
    );
    let tests = "
const pause = (time) => new Promise((done) => setTimeout(done, time));
const isQuiet = async () => { const { size } = fs.statSync('ticks'); await pause(40); assert.equal(fs.statSync('ticks').size, size); fs.rmSync('ticks'); };
test('ticks', () => run('./ticks.lmt.mjs'), 60);
test('is quiet', isQuiet);
test('not awaited', async () => { run('./ticks.lmt.mjs'); while (!fs.existsSync('ticks')) await pause(2); });
test('is quiet too', isQuiet);
test('spins', () => run('./spins.lmt.mjs'), 50);
test('waits for a child', () => run('./waits.lmt.mjs'), 50);
test('starts a child', () => run('./starts.lmt.mjs'), 200);
test('which is gone', async () => {
  const pid = fs.readFileSync('pid', 'utf8');
  const isThere = () => { try { return !/ [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')); } catch { return false; } };
  while (isThere()) await pause(2);
});
test('others run', async () => { assert.equal((await run('./word.lmt.mjs', { mock: [{ type: 'text', text: 'x' }] })).text, 'x'); fs.writeFileSync('end', ''); });
";
    let files = [
        ("ticks.lmt.mjs", ticks.as_str()),
        ("spins.lmt.mjs", &spins),
        ("waits.lmt.mjs", &waits),
        ("starts.lmt.mjs", &starts),
        ("word.lmt.mjs", WORD),
    ];
    let (folder, outcome) = test(&files, tests);
    assert!(folder.path("end").exists(), "{outcome:?}");
    assert_eq!(outcome.code, 1);
    let all = format!("{}{}", outcome.stdout, outcome.stderr);
    // Each failure is reported with its test.
    for name in ["60 ms", "200 ms", "50 ms"] {
        assert!(all.contains(&format!("the test timed out after {name}")), "{name}: {all}");
    }
    assert!(outcome.stderr.contains("a run is given up: the test ended before; await run(…)"), "{outcome:?}");
    assert!(!all.contains("is quiet failed"), "{all}");
}

#[test]
fn warnings_of_a_run_are_those_of_its_test() {
    let tests = "
test('is used up', async () => {
  const model = createMockModel([{ type: 'text', text: 'one' }]);
  await run('./word.lmt.mjs', { model });
  await run('./word.lmt.mjs', { model });
  await run('./word.lmt.mjs', { mock: [{ type: 'tool-call', toolName: 'none', args: {} }] });
});
";
    let outcome = passes(&[("word.lmt.mjs", WORD)], tests);
    for line in ["createMockModel is used up", "mock of run() is used up"] {
        assert_eq!(outcome.stderr.matches(line).count(), 1, "{line}: {outcome:?}");
    }
}

#[test]
fn real_models_are_called_only_on_request() {
    let tests = "
test('by name', async () => {
  await assert.rejects(run('./word.lmt.mjs', { model: 'openai:gpt-4o' }), /this test would ask openai:gpt-4o/);
});
test('as an object', async () => {
  await assert.rejects(run('./word.lmt.mjs', { model: openai('gpt-4o') }), /this test would ask openai:gpt-4o/);
});
test('not recorded', async () => {
  await assert.rejects(run('./word.lmt.mjs', { recording: './none.json' }), /none\\.json/);
});
";
    let import = "import { openai } from 'lmthing';\nprocess.env.OPENAI_API_KEY = 'sk-test';\n";
    let (_folder, refused) = test(&[("word.lmt.mjs", WORD)], &format!("{import}{tests}"));
    // The first two fail for that alone, although they could know in advance.
    assert!(refused.stdout.contains("2 failed | 1 passed"), "{}", refused.stdout);
    assert_eq!(
        refused.stdout.matches("this test would ask openai:gpt-4o; no test asks").count(),
        2,
        "{}",
        refused.stdout
    );
    let tests = "
test('asked', async () => {
  const { error } = await run('./word.lmt.mjs', { model: 'opnai:gpt-4o' });
  assert.deepEqual([error.code, error.kind], [2, 'usage']);
  assert.match(error.message, /^model opnai:gpt-4o: /);
  assert.match(error.hint, /openai/);
});
";
    let folder = Folder::new(&[("word.lmt.mjs", WORD)]);
    folder.write("a.test.lmt.mjs", &format!("{HEAD}{tests}"));
    let outcome = folder.run("test --live a.test.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn to_ask_a_model_in_vain_fails_a_test_whatever_it_makes_of_that() {
    let real = "export const config = { model: 'openai:gpt-4o' };\nexport default ({ $ }) => { $`hi`; };\n";
    let (_folder, outcome) = test(
        &[("real.lmt.mjs", real)],
        "test('catches', async () => { try { await run('./real.lmt.mjs'); } catch {} });
         test.fails('fails', async () => { await run('./real.lmt.mjs'); });
         test('next', () => {});",
    );
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stdout.contains("2 failed | 1 passed"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("without --live or --record"), "{}", outcome.stdout);
}
