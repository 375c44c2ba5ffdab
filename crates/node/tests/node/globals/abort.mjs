// Aborting: signals by themselves, and `fetch` at every stage.
import { equal, failure, failures, ok, test } from './check.mjs';

const server = process.env.TEST_SERVER;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('a controller aborts once, with its reason', () => {
  const controller = new AbortController();
  const seen = [];
  controller.signal.addEventListener('abort', (event) => seen.push([event.type, event.target === controller.signal]));
  controller.signal.onabort = () => seen.push('onabort');
  controller.abort('why');
  controller.abort('again');
  equal(seen, [['abort', true], 'onabort']);
  equal([controller.signal.aborted, controller.signal.reason], [true, 'why']);
});

test('the default reason is an AbortError', async () => {
  const error = await failure(() => AbortSignal.abort().throwIfAborted());
  ok(error instanceof DOMException);
  equal([error.name, error.message, error.code], ['AbortError', 'This operation was aborted', 20]);
});

test('timeout aborts with a TimeoutError', async () => {
  const signal = AbortSignal.timeout(5);
  equal(signal.aborted, false);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  equal([signal.reason.name, signal.reason.message], ['TimeoutError', 'The operation was aborted due to timeout']);
});

test('any follows the first that aborts', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const any = AbortSignal.any([first.signal, second.signal]);
  const nested = AbortSignal.any([any]);
  let events = 0;
  nested.addEventListener('abort', () => events++);
  second.abort('two');
  first.abort('one');
  equal([any.reason, nested.reason, events], ['two', 'two', 1]);
  equal(AbortSignal.any([AbortSignal.abort('done')]).reason, 'done');
  equal(AbortSignal.any([]).aborted, false);
});

test('fetch: aborted before it starts', async () => {
  equal(await failure(() => fetch(`${server}/echo`, { signal: AbortSignal.abort('early') })), 'early');
});

test('fetch: aborted while waiting for the answer', async () => {
  const controller = new AbortController();
  const answer = failure(() => fetch(`${server}/silent`, { signal: controller.signal }));
  equal(await (await fetch(`${server}/arrived`)).text(), 'yes');
  controller.abort();
  const error = await answer;
  equal(error.name, 'AbortError');
  equal(await (await fetch(`${server}/gone`)).text(), 'yes');
});

test('fetch: out of time', async () => {
  const error = await failure(() => fetch(`${server}/silent`, { signal: AbortSignal.timeout(20) }));
  equal(error.name, 'TimeoutError');
});

test('fetch: aborted while reading the body', async () => {
  const controller = new AbortController();
  const response = await fetch(`${server}/endless`, { signal: controller.signal });
  const reader = response.body.getReader();
  equal((await reader.read()).done, false);
  const reading = (async () => {
    while (!(await reader.read()).done);
  })();
  await wait(10);
  controller.abort(new Error('enough'));
  equal((await failure(() => reading)).message, 'enough');
});

test('fetch: aborting after the end changes nothing', async () => {
  const controller = new AbortController();
  const response = await fetch(`${server}/status/200`, { signal: controller.signal });
  equal(await response.text(), 'body');
  controller.abort();
});

test('listeners: once, removal, handleEvent, signal', () => {
  const target = new EventTarget();
  const seen = [];
  const removed = () => seen.push('removed');
  const controller = new AbortController();
  target.addEventListener('x', () => seen.push('once'), { once: true });
  target.addEventListener('x', removed);
  target.addEventListener('x', { handleEvent: (event) => seen.push(event.detail) });
  target.addEventListener('x', () => seen.push('signal'), { signal: controller.signal });
  target.removeEventListener('x', removed);
  equal(target.dispatchEvent(new CustomEvent('x', { detail: 7, cancelable: true })), true);
  controller.abort();
  target.addEventListener('x', (event) => event.preventDefault());
  equal(target.dispatchEvent(new CustomEvent('x', { detail: 8, cancelable: true })), false);
  equal(seen, ['once', 7, 'signal', 8]);
});

test('stopImmediatePropagation keeps the rest from hearing', () => {
  const target = new EventTarget();
  const seen = [];
  target.addEventListener('x', (event) => {
    seen.push(1);
    event.stopImmediatePropagation();
  });
  target.addEventListener('x', () => seen.push(2));
  target.dispatchEvent(new Event('x'));
  equal(seen, [1]);
});

export default await failures();
