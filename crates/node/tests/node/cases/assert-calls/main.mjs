// The call that failed, as it is written; what is deeply equal.
import assert from 'node:assert';
import util from 'node:util';

const f = (x) => x;
const t = (run) => {
  try {
    run();
  } catch (error) {
    console.log(JSON.stringify(error.message));
  }
};
t(() => assert(f(0)));
t(() => assert.ok(f(0) &&
   f(1)));
t(() => assert.equal(assert.ok.length, 0) || assert.ok(f(false), undefined));
t(() => { const { ok } = assert; ok(f(0)); });
t(() => { const a = { b: assert }; a.b.ok(null); });
t(() => assert['ok'](0));
t(() => assert.ok(!/'/.test("it's")));
t(() => assert.ok([1, 2].map((x) => x * 2).includes(9)));
t(() => assert.ok(f(')') === '('));
t(() => assert.ok(f(`${f(')')}`) === `(`));
t(() => assert.ok(new Map().has(1)));
t(() => assert.ok((a) => 1, assert.ok(0)));
t(() => { assert.ok(1); assert.ok(0); });
t(() => { assert.ok(f(1)); assert.ok(f(2) === f(3)); });
t(() => assert.strict(f(1) > /[/)]/.source.length));

const args = (function () { return arguments; });
const pairs = {
  cause: [new Error('a', { cause: 1 }), new Error('a', { cause: 2 })], url: [new URL('http://a'), new URL('http://b')], sameUrl: [new URL('http://a'), new URL('http://a')],
  many: [new AggregateError([1]), new AggregateError([2])], zero: [-0, 0], sparse: [[1, , 2], [1, undefined, 2]], date: [new Date(1), new Date(2)],
  args: [args(1), args(2)], tag: [{ [Symbol.toStringTag]: 'a' }, {}], buffer: [Buffer.from('a'), new Uint8Array([97])],
  set: [new Set([[1], [2]]), new Set([[2], [1]])], looseSet: [new Set([1, '2']), new Set(['1', 2])], map: [new Map([[[1], 1], [[2], 2]]), new Map([[[2], 2], [[1], 1]])],
  looseMap: [new Map([[1, 'a']]), new Map([['1', 'a']])], view: [new DataView(new ArrayBuffer(2)), new DataView(new ArrayBuffer(3))],
  member: [Object.assign(new Error('a'), { code: 1 }), new Error('a')], bigints: [Object(1n), Object(2n)], loose: [{ a: 1, b: ['2'] }, { a: '1', b: [2] }],
  regexp: [Object.assign(/a/g, { lastIndex: 1 }), /a/g], nan: [[NaN], [NaN]], nothing: [null, undefined], floats: [new Float32Array([0]), new Float32Array([-0])],
  prototype: [Object.create(null), {}], symbol: [{ [Symbol.for('x')]: 1 }, { [Symbol.for('x')]: 2 }], kinds: [[1], { 0: 1, length: 1 }], boxed: [Object(1), 1],
};
const cycle = (depth) => { const a = {}; a.a = depth ? { a } : a; return a; };
pairs.cycles = [cycle(0), cycle(0)];
for (const [name, [a, b]] of Object.entries(pairs)) {
  const says = (compare) => { try { compare(a, b); return 'equal'; } catch (error) { return error.code; } };
  console.log(name, says(assert.deepStrictEqual), says(assert.deepEqual), says(assert.notDeepStrictEqual), says(assert.notDeepEqual), util.isDeepStrictEqual(a, b));
}
