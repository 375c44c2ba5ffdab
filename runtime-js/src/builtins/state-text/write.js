// Serializes values to state texts. Plain data has a fast path: most states contain nothing else, and are written after
// each tool call.
import { hasProxy } from 'lmthing:internal/native/inspect';
import { KINDS, nameOfClass, unknownKind } from './kinds.js';
import { Lost, isLost, keyLabel } from './lost.js';
import {
  ArrayPrototype, MARK, MAX_DEPTH, MapType, ObjectPrototype, create, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, includes, is, isArray,
  keys, lookUpGetter, mapGet, mapHas, mapSet, ownKeys, setPrototypeOf, stringify, textOfFunction,
} from './natives.js';

/** A property of task graph nodes that is computed on read. */
const WORKED_OUT = 'input_context';

/** Whether `JSON.stringify` would call a `toJSON` that a script has added to all objects or arrays. */
const isPatched = () => 'toJSON' in ObjectPrototype || 'toJSON' in ArrayPrototype;

const isObject = (value) => typeof value === 'object' && value !== null;

/** Whether JSON expresses the value. */
const isPlain = (value, type) =>
  type === 'string' || type === 'boolean' || value === null || (type === 'number' && (value === 0 ? is(value, 0) : value - value === 0));

/** The value of an own property; accessors are not allowed. */
function read(value, key) {
  const getter = lookUpGetter(value, key);
  if (getter !== undefined) {
    if (key === WORKED_OUT && includes(textOfFunction(getter), '[native code]')) return value[key];
    throw new Lost('an accessor');
  }
  const child = value[key];
  if (child === undefined && getOwnPropertyDescriptor(value, key)?.set !== undefined) throw new Lost('an accessor');
  return child;
}

/** The first property in `names` that cannot be serialized. */
function hidden(value, names) {
  for (let index = 0; index < names.length; index++) {
    if (typeof names[index] === 'symbol') return 'a property named by a symbol';
    if (!getOwnPropertyDescriptor(value, names[index]).enumerable) return `a property that is not enumerable (${names[index]})`;
  }
  return 'a property that is not enumerable';
}

function addEntry(list, value, key) {
  if (typeof key === 'symbol') throw new Lost(hidden(value, [key]));
  list[list.length] = ['', key];
  try {
    list[list.length] = [keyLabel(key), read(value, key)];
  } catch (error) {
    throw isLost(error) ? error.under(keyLabel(key)) : error;
  }
}

function entriesOf(value, names, list = []) {
  for (let index = 0; index < names.length; index++) {
    if (names[index] !== 'length' || !isArray(value)) addEntry(list, value, names[index]);
  }
  return list;
}

/**
 * A writer for the states of a prompt. A careful one checks every object for being a proxy before reading it. After the
 * other, `isDeceived` says whether the work must be repeated carefully.
 */
function createWriter(isCareful) {
  const patched = isPatched();
  /** Ids of written objects, and the objects by id. */
  const seen = new MapType();
  const objects = [];
  /** By id: the id of the parent object (or the name of the state), and the step from there. */
  const parents = [];
  const steps = [];
  let depth = 0;

  /** An object in tagged form. Its arrays cannot have a script's `toJSON`. */
  function tagged(kind, of) {
    const node = create(null);
    node[MARK] = kind;
    node.of = patched ? setPrototypeOf(of, null) : of;
    return node;
  }

  function number(value, parent, step) {
    const id = objects.length;
    mapSet(seen, value, id);
    objects[id] = value;
    parents[id] = parent;
    steps[id] = step;
    return id;
  }

  function reference(known) {
    const path = [];
    let id = known;
    for (; typeof id === 'number'; id = parents[id]) path[path.length] = steps[id];
    // A state's root has no step.
    path[path.length - 1] = id;
    const of = [];
    for (let index = path.length - 1; index >= 0; index--) of[of.length] = path[index];
    return tagged('ref', of);
  }

  /** The JSON form of a value; the value itself when JSON expresses it. */
  function write(value, parent, step) {
    const type = typeof value;
    if (type === 'object' && value !== null) {
      const known = mapGet(seen, value);
      return known === undefined ? members(value, number(value, parent, step)) : reference(known);
    }
    if (isPlain(value, type)) return value;
    if (type === 'number') return tagged('number', [is(value, -0) ? '-0' : `${value}`]);
    if (type === 'undefined') return tagged('undefined', []);
    if (type === 'bigint') return tagged('bigint', [`${value}`]);
    throw new Lost(`a ${type}`);
  }

  /** The JSON forms of values, each `[label, value]`, inside the tagged object `id`. */
  function all(list, id) {
    const written = [];
    for (let step = 0; step < list.length; step++) {
      try {
        written[step] = write(list[step][1], id, step);
      } catch (error) {
        throw isLost(error) ? error.under(list[step][0]) : error;
      }
    }
    return written;
  }

  /** The JSON form of an object's members. */
  function members(value, id) {
    if (isCareful && hasProxy([value])) throw new Lost('a proxy');
    if (depth === MAX_DEPTH) throw new RangeError('too deep');
    depth++;
    const prototype = getPrototypeOf(value);
    let written;
    if (prototype === ObjectPrototype) written = object(value, id);
    else if (prototype === ArrayPrototype && isArray(value)) written = array(value, id);
    else written = other(value, prototype, id);
    depth--;
    return written;
  }

  function object(value, id) {
    const names = ownKeys(value);
    if (keys(value).length !== names.length) throw new Lost(hidden(value, names));
    if (MARK in value && hasOwn(value, MARK)) return tagged('object', all(entriesOf(value, names), id));
    let copy = patched ? create(null) : undefined;
    let key;
    try {
      for (let index = 0; index < names.length; index++) {
        key = names[index];
        const child = lookUpGetter(value, key) === undefined ? value[key] : read(value, key);
        if (child === undefined) read(value, key);
        const written = isPlain(child, typeof child) ? child : write(child, id, key);
        if (written !== child && copy === undefined) {
          copy = create(null);
          for (let before = 0; before < index; before++) copy[names[before]] = value[names[before]];
        }
        if (copy !== undefined) copy[key] = written;
      }
    } catch (error) {
      throw isLost(error) ? error.under(keyLabel(key)) : error;
    }
    return copy ?? value;
  }

  function array(value, id) {
    const names = ownKeys(value);
    const { length } = value;
    // An array with holes or additional properties.
    if (names.length !== length + 1 || names[length] !== 'length') {
      return tagged('array', all(entriesOf(value, names, [['.length', length]]), id));
    }
    let copy = patched ? setPrototypeOf([], null) : undefined;
    let index = 0;
    try {
      for (; index < length; index++) {
        const child = lookUpGetter(value, index) === undefined ? value[index] : read(value, index);
        if (child === undefined) read(value, index);
        const written = isPlain(child, typeof child) ? child : write(child, id, index);
        if (written !== child && copy === undefined) {
          copy = [];
          for (let before = 0; before < index; before++) copy[before] = value[before];
        }
        if (copy !== undefined) copy[index] = written;
      }
    } catch (error) {
      throw isLost(error) ? error.under(`[${index}]`) : error;
    }
    return copy ?? value;
  }

  function other(value, prototype, id) {
    if (prototype === null) {
      const names = ownKeys(value);
      if (keys(value).length !== names.length) throw new Lost(hidden(value, names));
      return tagged('bare', all(entriesOf(value, names), id));
    }
    const writeKind = mapGet(KINDS, prototype) ?? unknownKind(value, prototype);
    if (writeKind === undefined) throw new Lost(nameOfClass(prototype));
    return writeKind(value, { tagged, all }, id);
  }

  /** Registers an object as the root of a state, to which other states then refer, unless it is registered already. */
  function expect(name, value) {
    if (isObject(value) && !mapHas(seen, value)) number(value, name, undefined);
  }

  /** The text of a state; an array with the reason if it cannot be serialized. */
  function state(name, value) {
    depth = 0;
    try {
      const id = isObject(value) ? mapGet(seen, value) : undefined;
      return stringify(id !== undefined && parents[id] === name ? members(value, id) : write(value, name, undefined));
    } catch (error) {
      if (isLost(error)) return [error.reason()];
      if (error instanceof RangeError) return ['it is nested too deep'];
      throw error;
    }
  }

  /** The dependencies of an effect; null if another process could not compare them. */
  function dependencies(list, input) {
    const written = [];
    for (let index = 0; index < list.length; index++) {
      const value = list[index];
      const known = isObject(value) ? mapGet(seen, value) : undefined;
      if (known !== undefined) written[index] = reference(known);
      else if (isObject(value) && value === input) written[index] = tagged('input', []);
      else if (isObject(value) || typeof value === 'function' || typeof value === 'symbol') return null;
      else written[index] = write(value);
    }
    return written;
  }

  return { state, expect, dependencies, isDeceived: () => !isCareful && hasProxy(objects) };
}

/** The texts of states; `lost` are those known to fail. */
function writeAll(names, values, isCareful, lost = []) {
  const writer = createWriter(isCareful);
  const texts = [];
  let isWhole = true;
  for (let index = 0; index < names.length; index++) if (lost[index] === undefined) writer.expect(names[index], values[index]);
  for (let index = 0; index < names.length; index++) {
    texts[index] = lost[index] ?? writer.state(names[index], values[index]);
    if (lost[index] !== undefined || typeof texts[index] === 'string') continue;
    // Only a careful writer can report the reason.
    if (!isCareful) return writeAll(names, values, true);
    lost[index] = texts[index];
    isWhole = false;
  }
  if (writer.isDeceived()) return writeAll(names, values, true);
  // Others may refer to a failed state: they are written again without it.
  return isWhole ? { writer, texts } : writeAll(names, values, isCareful, lost);
}

/**
 * The texts of states and of effect dependencies (a list of lists, null for effects that are not stored): `[texts, text
 * of the dependencies]`. A state that cannot be serialized has `[reason]` instead of a text.
 */
export function writeStates(names, values, effects, input) {
  let written;
  try {
    written = writeAll(names, values, false);
  } catch {
    // A proxy trap threw.
    written = writeAll(names, values, true);
  }
  const { writer, texts } = written;
  const dependencies = [];
  for (let index = 0; index < effects.length; index++) {
    const list = effects[index];
    dependencies[index] = list === null ? null : writer.dependencies(list, input);
  }
  return [texts, stringify(dependencies)];
}
