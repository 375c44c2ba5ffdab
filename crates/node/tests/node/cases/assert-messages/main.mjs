// The exact messages of failed assertions.
import assert from 'node:assert';

const told = (error) => [error.name, error.code, error.message, error.generatedMessage, error.operator];
const fails = (fn) => {
  try {
    fn();
    console.log('passes');
  } catch (error) {
    console.log(told(error));
  }
};
const rejects = async (promise) => console.log(await promise.then(() => 'passes', told));
const thrower = () => {
  throw Object.assign(new TypeError('abc'), { status: 404 });
};
class A {}

fails(() => assert.strictEqual(1, 2));
fails(() => assert.strictEqual('a'.repeat(10), 'a'.repeat(8) + 'bc'));
fails(() => assert.strictEqual({ a: 1 }, { a: 1 }));
fails(() => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }));
fails(() => assert.deepStrictEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((x) => ({ x })), [1, 2, 3, 4, 5, 6, 7, 8, 10].map((x) => ({ x }))));
fails(() => assert.deepStrictEqual({ a: { b: { c: [1, 2, { d: 'x' }] } } }, { a: { b: { c: [1, 2, { d: 'y' }] } } }));
fails(() => assert.deepStrictEqual(new Set([1]), new Set([2])));
fails(() => assert.deepStrictEqual(new A(), {}));
fails(() => assert.deepStrictEqual([1, , 3], [1, undefined, 3]));
fails(() => assert.deepEqual(new Map([['a', 1]]), new Map([['a', '1']])));
fails(() => assert.deepEqual([1, 2], [1, 3]));
fails(() => assert.notDeepEqual({ a: 1 }, { a: '1' }));
fails(() => assert.notDeepStrictEqual([1], [1]));
fails(() => assert.notStrictEqual(1, 1));
fails(() => assert.equal(1, 2));
fails(() => assert.equal(NaN, NaN));
fails(() => assert.ok(0 || ''));
fails(() => assert.ok(null, 'given'));
fails(() => assert.strictEqual(1));
fails(() => assert.throws(() => {}));
fails(() => assert.throws(() => {}, TypeError, 'why'));
fails(() => assert.throws(thrower, /xyz/));
fails(() => assert.throws(thrower, RangeError));
fails(() => assert.throws(thrower, () => false));
fails(() => assert.throws(thrower, { message: 'abc', status: 500 }));
fails(() => assert.throws(thrower, { message: /b/, status: 404 }));
fails(() => assert.throws(thrower, 'abc'));
fails(() => assert.throws('no function'));
fails(() => assert.doesNotThrow(thrower, 'why'));
fails(() => assert.match('abc', /x/));
fails(() => assert.match(1, /x/));
fails(() => assert.doesNotMatch('abc', /b/));
fails(() => assert.ifError(new Error('x')));
fails(() => assert.fail());
fails(() => assert.fail('said'));
await rejects(assert.rejects(Promise.resolve()));
await rejects(assert.rejects(async () => thrower(), { message: 'z' }));
await rejects(assert.rejects(() => 1));
await rejects(assert.doesNotReject(Promise.reject(new Error('z'))));
const tracker = new assert.CallTracker();
tracker.calls((a) => a, 2)(1);
fails(() => tracker.verify());
const error = new assert.AssertionError({ actual: 1, expected: 2, operator: 'strictEqual' });
console.log(Object.keys(error), String(error), error.stack.split('\n')[0]);
