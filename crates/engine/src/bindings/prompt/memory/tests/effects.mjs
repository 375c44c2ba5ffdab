// Which effects run again in another process.
import assert from 'node:assert/strict';

const constant = { module: true };
let ran = [];
function body(prompt, extra = []) {
  beginBody(prompt);
  const [list, setList] = prompt.defState('list', () => [{ id: 1 }]);
  const [map] = prompt.defState('map', () => new Map([['inner', list[0]]]));
  const effect = (name, deps, answer) => prompt.defEffect(() => (ran.push(name), answer), deps);
  effect('every step');
  effect('once', []);
  effect('primitives', [1, 'a', NaN, -0, undefined, null, 5n, true, '\ud800']);
  effect('a state', [list]);
  effect('in states', [list[0], map.get('inner'), map]);
  effect('clean-up', [], () => ran.push('cleaned'));
  effect('object of its own', [constant]);
  effect('function', [body]);
  effect('made anew', [{}]);
  effect('extra', extra);
  return { setList };
}
async function step(prompt, extra) {
  ran = [];
  const { setList } = body(prompt, extra);
  await runEffects(prompt);
  return { ran, setList };
}

const first = makePrompt();
assert.equal((await step(first)).ran.length, 10);
assert.deepEqual((await step(first)).ran, ['every step', 'made anew']);
const text = remember(first);
const second = makePrompt();
putBack(second, text);
// Objects that are of no state are others in another process, and what was set up ended with the first.
const { ran: again, setList } = await step(second, [1]);
assert.deepEqual(again, ['every step', 'clean-up', 'object of its own', 'function', 'made anew', 'extra']);
assert.deepEqual((await step(second, [1])).ran, ['every step', 'made anew']);
setList([{ id: 2 }]);
assert.deepEqual((await step(second, [1])).ran, ['every step', 'a state', 'in states', 'made anew']);

// After a half-done step: the body has run with what was before, effects do not run, later values are put in place.
const third = makePrompt();
putBack(third, text);
body(third);
putBack(third, remember(second));
assert.equal(third.getState('list')[0].id, 2);
assert.deepEqual((await step(third, [1])).ran, ['every step', 'clean-up', 'object of its own', 'function', 'made anew']);

// Effects that the body no longer makes are gone.
const fourth = makePrompt();
putBack(fourth, text);
beginBody(fourth);
await runEffects(fourth);
assert.deepEqual(JSON.parse(remember(fourth)).effects, undefined);

// No states, but dependencies; dependencies that cannot be stored.
const fifth = makePrompt();
fifth.defEffect(() => {}, ['x']);
fifth.defEffect(() => {}, [() => 1]);
await runEffects(fifth);
assert.equal(JSON.parse(remember(fifth)).effects.dependencies, '[["x"],null]');
