// Values that are put in place after the body has run, and those of the plugins.
import assert from 'node:assert/strict';

const start = { map: new Map([['a', { n: 1 }]]), list: [{ n: 1 }, { n: 2 }], date: new Date(1), bytes: new Uint8Array([1, 2]), set: new Set([1]), number: 1, bare: Object.assign(Object.create(null), { x: 1 }), other: [1] };
const first = makePrompt();
const setters = {};
for (const name in start) setters[name] = first.defState(name, () => start[name])[1];
const before = remember(first);
// What a tool does: some are changed in place, some are replaced.
start.map.get('a').n = 5;
start.map.set('b', { n: 6 });
start.list.shift();
start.list.push({ n: 3 }, 4);
start.date.setTime(99);
start.bytes[1] = 9;
start.set.add(2).delete(1);
start.bare.y = start.list;
delete start.bare.x;
setters.other([...start.other, 2]);
setters.number((number) => number + 1);
const after = remember(first);

const second = makePrompt();
putBack(second, before);
const seen = {};
for (const name in start) seen[name] = second.defState(name)[0];
const setNumber = second.defState('number')[1];
second.defState('only here', 'stays');
const inner = seen.map.get('a');
putBack(second, after);
const now = (name) => second.getState(name);
for (const name of ['map', 'list', 'date', 'bytes', 'set', 'bare']) {
  assert.equal(now(name), seen[name], `${name} was changed in place`);
  assert.deepEqual(now(name), start[name]);
}
assert.equal(inner.n, 5);
assert.equal(now('bare').y, now('list'));
assert.deepEqual(now('other'), [1, 2]);
assert.deepEqual(seen.other, [1], 'a snapshot stays what it was');
assert.equal(now('number'), 2);
assert.equal(now('only here'), 'stays');
setNumber(7);
assert.equal(now('number'), 7);
assert.equal(second.defState('number')[1], setNumber);

// Two parts that were one are two.
const one = { x: 1 };
const twin = makePrompt();
twin.defState('pair', () => ({ a: one, b: one }));
const asOne = remember(twin);
twin.getState('pair').b = { x: 2 };
const asTwo = remember(twin);
const restored = makePrompt();
putBack(restored, asOne);
assert.equal(restored.getState('pair').a, restored.getState('pair').b);
putBack(restored, asTwo);
assert.deepEqual(restored.getState('pair'), { a: { x: 1 }, b: { x: 2 } });
// A frozen object cannot be changed: another takes its place.
const frozen = makePrompt();
frozen.defState('f', () => ({ x: 1 }));
const textOfFrozen = remember(frozen);
const thawed = makePrompt();
thawed.defState('f', () => Object.freeze({ x: 3 }));
putBack(thawed, textOfFrozen);
assert.deepEqual(thawed.getState('f'), { x: 1 });
// Nothing is remembered of a prompt without state.
const empty = makePrompt();
putBack(empty);
assert.equal(remember(empty), '{}');

// Task lists go on.
const listed = makePrompt();
const [tasks] = listed.defTaskList([{ id: '1', name: 'One' }, { id: '2', name: 'Two', status: 'completed' }]);
assert.equal(tasks.length, 2);
const listText = remember(listed);
const relisted = makePrompt();
putBack(relisted, listText);
assert.deepEqual(relisted.defTaskList([{ id: '9', name: 'Never' }])[0], tasks);

// So do task graphs: what a task is told is worked out as before.
const graphed = makePrompt();
const nodes = [
  { id: 'a', title: 'A', status: 'completed', output_result: 'forty-two' },
  { id: 'b', title: 'B', dependencies: ['a'], input_context: 'own text' },
];
const [graph] = graphed.defTaskGraph(nodes);
graphed.defState('current', () => graph[1]);
const context = graph[1].input_context;
assert.match(context, /own text[^]*forty-two/);
const graphText = remember(graphed);
assert.doesNotMatch(graphText, /lost/);
const regraphed = makePrompt();
putBack(regraphed, graphText);
const [graphAgain] = regraphed.defTaskGraph([{ id: 'z', title: 'Never' }]);
assert.deepEqual(graphAgain.map((task) => task.id), ['a', 'b']);
assert.equal(regraphed.getState('current'), graphAgain[1]);
assert.equal(graphAgain[1].input_context, context);
assert.equal(remember(regraphed), graphText);
