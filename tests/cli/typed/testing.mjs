import { assert, assertType, chai, createMockModel, describe, expectTypeOf, expect, fn, it, run, suite, test, vi, afterAll, afterEach, beforeAll, beforeEach, onTestFailed, onTestFinished, vitest } from 'lmthing/test';
import { runPrompt } from 'lmthing';
import { z } from 'zod';

test('a title', async () => {
  const answer = await run('./weather.lmt.mjs', { input: { city: 'Rome' }, model: 'mock', env: { KEY: '1' }, timeout: 500 });
  expect(answer.text.trim()).toBe('sunny');
  expect(answer.txt).toBe('sunny'); //~ TS2551
  expect(answer).toHaveCalledTool('search', { city: expect.stringContaining('Rom') });
  expect(answer).not.toHaveCalledTool('delete');
  expect(answer).toHaveCalledTools(['search', ['read', { page: 1 }]]);
  expect(answer).toHaveCalledTools('search'); //~ TS2345
  expect(answer).toHaveSystem(/polite/, { step: 0 });
  expect(answer).toHaveSystem('polite', { steps: 0 }); //~ TS2561
  expect(answer).toCost({ max: 0.01 });
  expect(answer).toCost(0.01); //~ TS2345
  await expect(answer).toSatisfy('is polite', { model: 'openai:gpt-4o-mini', need: 2, of: 3 });
  await expect(answer).toSatisfy('is polite'); //~ TS2345
  await expect(answer).toSatisfy('is polite', { model: 'mock', nede: 2 }); //~ TS2769
  await expect(run('./weather.lmt.mjs')).resolves.toHaveCalledTool('search');
  expect(run('./weather.lmt.mjs')).toHaveCalledTool('search'); //~ TS2339
  expect(answer.text).toHaveCalledTool('search'); //~ TS2339
  expect(answer.toolCalls[0].agent.join()).toBe('');
  expect(answer.steps[0].input.prompt[0].content).toContain('x');
  expect(answer.cost?.toFixed()).toBeDefined();
  expect(answer.error?.kind).toBeUndefined();
  expect(answer.prompt.fullSteps[0].input).toMatchObject({ temperature: 0 });
  await run('./weather.lmt.mjs', { inptu: {} }); //~ TS2561
  await run('./weather.lmt.mjs', { recording: new URL('./a.json', import.meta.url), env: { KEY: undefined } });
  await run('./weather.lmt.mjs', { model: ['openai:gpt-4o', 'mock'] }); //~ TS2322
  await run('./weather.lmt.mjs', { mock: [{ type: 'text', text: 'a' }], recording: 'a.json' });
  await run('./weather.lmt.mjs', { mock: [{ type: 'txt', text: 'a' }] }); //~ TS2820
  await run('./weather.lmt.mjs', { mock: ['a', 'b'].map((text) => ({ type: 'text', text })) });
  const { result, prompt } = await runPrompt(({ $ }) => $`go`, { model: createMockModel([]) });
  await result.text;
  expect(prompt).toHaveSystem('x');
  expect({ result, prompt }).toHaveCalledTool('x');
});

test('values', async () => {
  expect(1, 'a message').toBe(1);
  expect({ a: 1 }).toEqual({ a: expect.any(Number), b: expect.anything() });
  expect([1]).toEqual(expect.arrayContaining([1]));
  expect({ a: 1 }).toStrictEqual(expect.not.objectContaining({ b: 2 }));
  expect({ a: '1' }).toMatchObject({ a: expect.schemaMatching(z.string()) });
  expect(1).toBee(1); //~ TS2551
  expect(1).toBe(); //~ TS2554
  expect(1).not.toBeCloseTo(1.1, 1);
  expect('a').toBeTypeOf('strin'); //~ TS2345
  expect(() => { throw new TypeError('x'); }).toThrow(TypeError);
  expect(2).toSatisfy((n) => n.toFixed() === '2');
  expect(2).toSatisfy((n) => n.length > 1); //~ TS2339
  expect(2).toBeOneOf([1, 2]);
  await expect(Promise.resolve(1)).resolves.toBe(1);
  await expect(Promise.resolve('a')).resolves.toSatisfy((text) => text.trim() === 'a');
  await expect(Promise.reject(new Error('x'))).rejects.not.toThrow('y');
  await expect(async () => { throw new Error('x'); }).rejects.toThrow(/x/);
  (await expect(1).toBe(1)).length; //~ TS2339
  expect.soft(1).toBe(1);
  await expect.poll(() => 1, { timeout: 10 }).toBe(1);
  await expect.poll(async () => 'a').not.toMatch(/b/);
  expect.assertions(2);
  expect.hasAssertions();
  expect.assertion(2); //~ TS2551
  expect.addEqualityTesters([(a, b) => (a === b ? true : undefined)]);
  expect.addSnapshotSerializer({ test: (value) => value === 1, serialize: () => 'one' });
  expect({ a: 1 }).toMatchSnapshot();
  expect({ a: 1 }).toMatchSnapshot({ a: expect.any(Number) }, 'hint');
  expect('a').toMatchInlineSnapshot('"a"');
  await expect('a').toMatchFileSnapshot('./a.txt');
  expect('a').to.equal('a');
  expect([1, 2]).to.have.lengthOf(2).and.to.include(1);
  expect('a').to.be.ok;
  expect('a').to.eqaul('a'); //~ TS2551
});

test('with options', { timeout: 100, repeat: 5, need: 4 }, ({ expect: local, signal, task, skip }) => {
  local(signal.aborted).toBe(false);
  skip(task.name === 'x', 'why');
});
test('with a timeout', async () => {}, 1000);
test('with wrong options', { repaet: 2 }, () => {}); //~ TS2769
test.skip('left out', () => {});
test.only.each([1, 2])('%i', (n) => n.toFixed());
test.each([['a', 1], ['b', 2]])('%s', (name, count) => [String(name).trim(), count]);
test.each([{ a: 1 }])('$a', ({ a }) => a.toFixed());
test.each([{ a: 1 }])('$a', ({ b }) => b); //~ TS2339
test.each`a|b
  ${1}|${2}`('$a', ({ a }) => a);
test.for([[1, 2]])('%i', ([a, b], { expect: local }) => local(a + b).toBe(3));
test.todo('later');
test.concurrent.skipIf(true)('x', () => {});
test.olny('x', () => {}); //~ TS2339
test('not a function', 'x', () => {}); //~ TS2769
const withUser = test.extend({ user: async ({ task }, use) => { await use({ name: task.name }); }, fixed: 1 });
withUser('has it', ({ user, fixed }) => [user.name.trim(), fixed.toFixed()]);

describe('a suite', () => {
  beforeAll(() => () => {});
  beforeEach(({ task }) => task.name, 100);
  afterEach(() => {});
  afterAll(async () => {});
  it('is a test', () => {
    onTestFinished(() => {});
    onTestFailed(() => {});
  });
});
suite.skip('none', () => {});
describe.each([1])('%i', (n) => n.toFixed());

test('mocks', async () => {
  const add = fn((/** @type {number} */ a, /** @type {number} */ b) => a + b);
  add(1, 2).toFixed();
  add('1', 2); //~ TS2345
  add.mockReturnValue('3'); //~ TS2345
  add.mockReturnValueOnce(3).mockImplementation((a) => a);
  expect(add).toHaveBeenCalledWith(1, 2);
  add.mock.calls[0][0].toFixed();
  const any = vi.fn();
  any(1).anything;
  const later = vi.fn(async () => 1).mockResolvedValue(2);
  (await later()).toFixed();
  const object = { m: (/** @type {string} */ text) => text.length, n: 1 };
  const spy = vi.spyOn(object, 'm').mockReturnValue(4);
  spy.mock.lastCall?.[0].trim();
  vi.spyOn(object, 'n'); //~ TS2345
  vi.spyOn(object, 'n', 'get').mockReturnValue(2);
  vi.mocked(object.m).mockReturnValue(1);
  vi.stubEnv('A', '1').stubGlobal('b', 2).restoreAllMocks();
  vi.useFakeTimers({ now: 0 }).advanceTimersByTime(10);
  (await vi.waitFor(() => 1, { timeout: 10 })).toFixed();
  vi.advanceTimers(10); //~ TS2339
});

test('and what else', () => {
  assert(1 > 0, 'so it is');
  assert.deepEqual([1], [1]);
  chai.expect(1).to.equal(1);
  vitest.fn();
  assertType(1);
  expectTypeOf({ a: 1 }).toEqualTypeOf({ a: 2 });
  expectTypeOf('a').toBeString();
  expectTypeOf('a').toBeNumber(); //~ TS2554
  expectTypeOf('a').not.toBeNumber();
  expectTypeOf(async () => 1).returns.resolves.toBeNumber();
});
