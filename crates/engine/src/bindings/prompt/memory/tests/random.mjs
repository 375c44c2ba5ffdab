// Values put together by chance, from seeds: what comes back is the same, part by part, with the same parts in the same places.
import assert from 'node:assert/strict';

function generator(seed) {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const KEYS = ['a', 'b', '~', 'of', '__proto__', '', '0', '7', 'length', 'toJSON', 'constructor', '\ud800', 'x y'];
const LEAVES = [undefined, null, true, NaN, -0, 0, 1, -1.5e300, Infinity, 12n, '', '~', 'text', '\udc00', () => new Date(5), () => /x/g, () => Object(3), () => new Error('e'), () => Buffer.from('b'), () => new Uint16Array([1, 2])];

function make(random, parts, depth) {
  const choice = random(10);
  if (choice < 4 || depth === 0) {
    const leaf = LEAVES[random(LEAVES.length)];
    return typeof leaf === 'function' ? leaf() : leaf;
  }
  if (choice === 4 && parts.length > 0) return parts[random(parts.length)];
  const part = [() => ({}), () => [], () => new Map(), () => new Set(), () => Object.create(null)][random(5)]();
  parts.push(part);
  const inner = () => make(random, parts, depth - 1);
  for (let count = random(5); count > 0; count--) {
    if (part instanceof Map) part.set(inner(), inner());
    else if (part instanceof Set) part.add(inner());
    else if (Array.isArray(part)) part[part.length + (random(6) === 0 ? 2 : 0)] = inner();
    else Object.defineProperty(part, KEYS[random(KEYS.length)], { value: inner(), enumerable: true, writable: true, configurable: true });
  }
  return part;
}

/** Fails unless the two are built alike; `pairs` are the parts met before. */
function same(one, other, pairs, path) {
  if (typeof one !== 'object' || one === null) return assert.ok(Object.is(one, other), `${path}: ${String(one)} and ${String(other)}`);
  if (pairs.has(one)) return assert.equal(pairs.get(one), other, `${path} is another part`);
  assert.ok(typeof other === 'object' && other !== null && ![...pairs.values()].includes(other), `${path} is one part`);
  pairs.set(one, other);
  assert.equal(Object.getPrototypeOf(one), Object.getPrototypeOf(other), path);
  if (one instanceof Map) {
    const [list, otherList] = [[...one].flat(), [...other].flat()];
    assert.equal(list.length, otherList.length, path);
    return list.forEach((value, index) => same(value, otherList[index], pairs, `${path}<${index}>`));
  }
  if (one instanceof Set) return same([...one], [...other], pairs, `${path}<set>`);
  if (!Array.isArray(one) && ![null, Object.prototype].includes(Object.getPrototypeOf(one))) return assert.deepEqual(other, one, path);
  assert.deepEqual(Reflect.ownKeys(other), Reflect.ownKeys(one), path);
  for (const key of Reflect.ownKeys(one)) same(one[key], other[key], pairs, `${path}.${String(key)}`);
}

for (let seed = 0; seed < 400; seed++) {
  const random = generator(seed);
  const parts = [];
  const states = {};
  const prompt = makePrompt();
  for (const name of ['one', 'two', 'three'].slice(0, 1 + random(3))) {
    states[name] = make(random, parts, 5);
    prompt.defState(name, () => states[name]);
  }
  const text = remember(prompt);
  const after = makePrompt();
  putBack(after, text);
  const names = Object.keys(states);
  same(names.map((name) => states[name]), names.map((name) => after.getState(name)), new Map(), `seed ${seed}`);
  assert.equal(remember(after), text, `seed ${seed} is written the same again`);
}
