// What has no text, and what is said of it.
import assert from 'node:assert/strict';

function reason(value) {
  const prompt = makePrompt();
  prompt.defState('value', () => value);
  const { lost } = JSON.parse(remember(prompt)).states.value;
  return lost;
}
class Person {
  name = 'A';
}
const cases = [
  [() => () => 1, 'it is a function'],
  [() => Symbol('x'), 'it is a symbol'],
  [() => ({ handler: [1, 2, () => 1] }), 'it holds a function at .handler[2]'],
  [() => ({ 'odd key': { 3: { _x$1: Symbol.iterator } } }), 'it holds a symbol at ["odd key"][3]._x$1'],
  [() => new Map([['k', new Map([[{}, Promise.resolve()]])]]), 'it holds a promise at .get("k").get(…)'],
  [() => new Map([[() => 1, 1]]), 'it holds a function at .keys()'],
  [() => new Set([1, class {}]), 'it holds a function at .values()[1]'],
  [() => new Person(), 'it is an instance of Person'],
  [() => [new (class extends Array {})()], 'it holds an object with a prototype of its own at [0]'],
  [() => Object.create({ inherited: 1 }), 'it is an object with a prototype of its own'],
  [() => [, new WeakMap()], 'it holds an instance of WeakMap at [1]'],
  [() => new WeakSet(), 'it is an instance of WeakSet'],
  [() => new WeakRef({}), 'it is an instance of WeakRef'],
  [() => new Proxy({}, { getPrototypeOf: () => assert.fail('a trap threw') }), 'it is a proxy'],
  [() => [new Proxy([], {})], 'it holds a proxy at [0]'],
  [() => ({ get total() { return assert.fail('a getter was called'); } }), 'it holds an accessor at .total'],
  [() => ({ a: { set total(value) {} } }), 'it holds an accessor at .a.total'],
  [() => Object.defineProperty([1, 2], 1, { get: () => 1, enumerable: true }), 'it holds an accessor at [1]'],
  [() => ({ a: Object.defineProperty({}, 'b', { value: 1 }) }), 'it holds a property that is not enumerable (b) at .a'],
  [() => ({ [Symbol('x')]: 1 }), 'it is a property named by a symbol'],
  [() => Object.assign(new Map(), { extra: 1 }), 'it is a Map with properties of its own'],
  [() => Object.create(Map.prototype), 'it is an object made in the image of Map'],
  [() => Object.create(Error.prototype), 'it is an object made in the image of Error'],
  [() => Object.assign(new Error('x'), { request: { send() {} } }), 'it holds a function at .request.send'],
  [() => new Error('x', { cause: () => 1 }), 'it holds a function at .cause'],
  [() => Object(Symbol()), 'it is an instance of Symbol'],
  [() => new URL('https://example.test'), 'it is an instance of URL'],
  [() => new Blob([]), 'it is an instance of Blob'],
  [() => (function* () {})(), 'it is an object with a prototype of its own'],
  [() => { const buffer = new ArrayBuffer(8); const view = new Uint8Array(buffer); buffer.transfer(); return { view }; }, 'it holds an ArrayBuffer that was handed over at .view.buffer'],
];
for (const [make, expected] of cases) assert.equal(reason(make()), expected, String(make));

let deep = [];
for (let depth = 0; depth < 2000; depth++) deep = [deep];
assert.equal(reason(deep), 'it is nested too deep');
for (let depth = 0; depth < 500_000; depth++) deep = { deep };
assert.equal(reason(deep), 'it is nested too deep');
assert.match(reason({ [`long${'g'.repeat(100)}`]: { [`name${'e'.repeat(100)}`]: () => 1 } }), /^it holds a function at \.longg+….*e+$/);

// What is lost with a state is written where it is met again.
const prompt = makePrompt();
const shared = { x: [1] };
prompt.defState('a', () => [shared, () => 1]);
prompt.defState('b', () => [shared, shared.x]);
const { states } = JSON.parse(remember(prompt));
assert.equal(states.a.lost, 'it holds a function at [1]');
assert.deepEqual(states.b.value, [{ x: [1] }, { '~': 'ref', of: ['b', 0, 'x'] }]);
const after = makePrompt();
putBack(after, remember(prompt));
assert.equal(after.getState('a'), undefined);
assert.equal(after.getState('b')[0].x, after.getState('b')[1]);
