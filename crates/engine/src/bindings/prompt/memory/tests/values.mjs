// Values of every kind, there and back.
import assert from 'node:assert/strict';
import { types } from 'node:util';

/** What the states are in another process. */
function afterwards(states) {
  const before = makePrompt();
  for (const [name, value] of Object.entries(states)) before.defState(name, () => value);
  const text = remember(before);
  const after = makePrompt();
  putBack(after, text);
  assert.equal(remember(after), text);
  return Object.fromEntries(Object.keys(states).map((name) => [name, after.defState(name, () => assert.fail(`${name} is gone: ${text}`))[0]]));
}
const again = (value) => afterwards({ value }).value;
const textOf = (value) => {
  const prompt = makePrompt();
  prompt.defState('value', () => value);
  return JSON.stringify(JSON.parse(remember(prompt)).states.value.value);
};

assert.equal(remember(makePrompt()), '{}');

// Primitives.
for (const value of [undefined, null, true, false, 0, -0, 1.5, 5e-324, 2 ** 53 + 2, 0.1 + 0.2, NaN, Infinity, -Infinity, 0n, -(2n ** 200n), '', 'ä', '\u0000"\\', '\ud800', 'a\udfff', '😀', '~', '"~"', '__proto__']) {
  assert.ok(Object.is(again(value), value), String(value));
  assert.ok(Object.is(again({ value }).value, value), `{${String(value)}}`);
  assert.ok(Object.is(again([value])[0], value), `[${String(value)}]`);
}
// What JSON has is plain JSON.
const plain = { a: [1, 'two', null, { b: true }], __proto: 1, '': [] };
assert.equal(textOf(plain), JSON.stringify(plain));

// Objects: prototype, order and odd keys.
const odd = JSON.parse('{"b":1,"__proto__":{"x":1},"a":[{"~":"map","of":[]}],"~":"ref","of":["value"]}');
assert.deepEqual(again(odd), odd);
assert.deepEqual(Object.keys(again(odd)), Object.keys(odd));
assert.equal(Object.getPrototypeOf(again(odd)), Object.prototype);
assert.ok(Object.hasOwn(again({ ['__proto__']: new Date(0) }), '__proto__'));
const bare = Object.assign(Object.create(null), { x: 1, '~': [undefined] });
assert.equal(Object.getPrototypeOf(again(bare)), null);
assert.deepEqual(again(bare), bare);
assert.equal(Object.getPrototypeOf(again({ bare }).bare), null);
assert.deepEqual(again(Object.freeze({ frozen: Object.freeze([1]) })), { frozen: [1] });

// Arrays: holes and what else they have.
// eslint-disable-next-line no-sparse-arrays
const sparse = [, 1, , undefined, ,];
assert.deepEqual(again(sparse), sparse);
assert.equal(again(sparse).length, 5);
assert.ok(!(0 in again(sparse)) && 3 in again(sparse));
assert.deepEqual(again(new Array(4_000_000_000)).length, 4_000_000_000);
const match = /(?<x>b)/.exec('abc');
assert.deepEqual(again(match), match);
assert.equal(again(match).groups.x, 'b');
assert.equal(Object.getPrototypeOf(again(match).groups), null);
assert.equal(Object.assign(again(Object.assign([], { a: 1 }))).a, 1);

// Dates, patterns, maps, sets, boxes.
assert.deepEqual(again(new Date(8.64e15)), new Date(8.64e15));
assert.ok(Number.isNaN(again(new Date(NaN)).getTime()));
const pattern = /a\/[/]\n(?<n>ü)/dgimsuy;
pattern.lastIndex = 3;
assert.equal(String(again(pattern)), String(pattern));
assert.equal(again(pattern).lastIndex, 0);
assert.equal(again(/[\p{L}--[a]]/v).flags, 'v');
const map = new Map([[NaN, -0], [-0, 1], ['a', new Map([[{ deep: [] }, new Set([1, [2]])]])], [undefined, undefined], [1n, null]]);
assert.deepEqual(again(map), map);
assert.deepEqual([...again(map).keys()].slice(0, 2), [NaN, 0]);
assert.deepEqual(again(new Set([new Set(), 'a', 1])), new Set([new Set(), 'a', 1]));
for (const box of [Object(1), Object(-0), Object(NaN), Object('\ud800x'), Object(true), Object(5n)]) {
  assert.deepEqual(again(box), box);
  assert.ok(types.isBoxedPrimitive(again([box])[0]));
}

// Memory.
const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index);
assert.deepEqual(new Uint8Array(again(bytes.buffer)), bytes);
assert.equal(again(new ArrayBuffer(0)).byteLength, 0);
const resizable = again(new ArrayBuffer(3, { maxByteLength: 9 }));
assert.ok(resizable.resizable && resizable.maxByteLength === 9 && resizable.byteLength === 3);
for (const Type of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]) {
  const view = new Type(bytes.buffer, 8, 5);
  const copy = again(view);
  assert.deepEqual(copy, view);
  assert.equal(Object.getPrototypeOf(copy), Type.prototype);
  assert.ok(copy.byteOffset === 8 && copy.buffer.byteLength === 1000);
}
const { one, other } = again({ one: new Uint8Array(bytes.buffer, 0, 4), other: new DataView(bytes.buffer, 2, 2) });
assert.ok(one.buffer === other.buffer && other.byteOffset === 2);
one[2] = 77;
assert.equal(other.getUint8(0), 77);
const buffer = again(Buffer.from('héllo'));
assert.ok(Buffer.isBuffer(buffer) && buffer.toString() === 'héllo');
assert.ok(!Buffer.isBuffer(again(new Uint8Array(3))));

// Errors.
for (const Type of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
  const error = Object.assign(new Type('it broke', { cause: new Error('inner', { cause: 'string' }) }), { code: 'E_X', at: [1] });
  const copy = again(error);
  assert.equal(Object.getPrototypeOf(copy), Type.prototype);
  assert.ok(copy.message === 'it broke' && copy.stack === error.stack && copy.code === 'E_X' && copy.cause.cause === 'string');
  assert.deepEqual(Object.keys(copy), ['code', 'at']);
  assert.deepEqual(copy, error);
}
assert.ok(!Object.hasOwn(again(new Error()), 'cause') && !Object.hasOwn(again(new Error()), 'message'));
const many = again(new AggregateError([new Error('a'), 1], 'many'));
assert.ok(many instanceof AggregateError && many.errors[0].message === 'a' && many.errors.length === 2);
const system = await import('node:fs/promises').then(({ readFile }) => readFile('/does/not/exist')).catch((error) => error);
assert.ok(again(system).code === 'ENOENT' && again(system).path === '/does/not/exist');
const aborted = AbortSignal.abort().reason;
assert.ok(again(aborted) instanceof DOMException && again(aborted).name === 'AbortError' && again(aborted).message === aborted.message);
const circularError = new Error('round');
circularError.cause = { circularError };
const round = again(circularError);
assert.equal(round.cause.circularError, round);

// Identity, in one state and between states.
const shared = { list: [1] };
const ring = { shared, again: shared, list: shared.list, map: new Map([[shared, shared]]), set: new Set([shared]) };
ring.self = ring;
ring.map.set('map', ring.map);
const states = afterwards({ b: ring, a: { first: shared }, c: shared, d: shared.list, e: new Date(5), f: [new Set([ring])] });
assert.equal(states.b.self, states.b);
assert.equal(states.b.map.get('map'), states.b.map);
for (const same of [states.a.first, states.b.shared, states.b.again, states.b.map.get(states.c), [...states.b.set][0]]) assert.equal(same, states.c);
for (const same of [states.b.list, states.c.list]) assert.equal(same, states.d);
assert.equal([...states.f[0]][0], states.b);
const throughMap = { key: [] };
const steps = afterwards({ a: new Map([[throughMap, [, throughMap.key]]]), b: throughMap, c: throughMap.key });
assert.equal([...steps.a.keys()][0], steps.b);
assert.equal([...steps.a.values()][0][1], steps.c);
assert.equal(steps.b.key, steps.c);

// Depth, and what a script does to its globals.
let deep = [];
for (let depth = 1; depth < 2000; depth++) deep = depth % 2 ? { deep } : [new Map([['x', deep]])][0].get('x') && [deep];
let copy = again(deep);
let depth = 1;
for (; Array.isArray(copy) ? copy.length : copy.deep; depth++) copy = Array.isArray(copy) ? copy[0] : copy.deep;
assert.equal(depth, 2000);

Array.prototype.toJSON = () => 'patched';
Object.prototype.toJSON = () => 'patched';
BigInt.prototype.toJSON = () => 'patched';
const text = textOfPatched({ a: [1, { b: [2n, new Map([[1, [2]]])] }] });
delete Array.prototype.toJSON;
delete Object.prototype.toJSON;
assert.match(text, /"a":\[1,\{"b":\[\{"~":"bigint","of":\["2"\]\}/);
function textOfPatched(value) {
  const prompt = makePrompt();
  prompt.defState('value', () => value);
  return remember(prompt);
}
