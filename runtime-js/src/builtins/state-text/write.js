// Values to texts.
import { proxyDetails } from 'lmthing:internal/native/inspect';
import { KINDS, nameOfClass, unknownKind } from './kinds.js';
import { Lost, isLost, keyLabel } from './lost.js';
import {
  ArrayPrototype, MARK, MAX_DEPTH, MapType, ObjectPrototype, create, getOwnPropertyDescriptor, getPrototypeOf, hasOwn,
  includes, is, isArray, keys, lookUpGetter, mapGet, mapHas, mapSet, ownKeys, setPrototypeOf, stringify, textOfFunction,
} from './natives.js';

/** The property of a task of a graph that the engine works out when it is read. */
const WORKED_OUT = 'input_context';

/** Whether `JSON.stringify` would ask a method that a script has given to every object or array. */
const isPatched = () => 'toJSON' in ObjectPrototype || 'toJSON' in ArrayPrototype;

/** The value of an own property, which must not be an accessor. */
function read(value, key) {
  const getter = lookUpGetter(value, key);
  if (getter !== undefined) {
    if (key === WORKED_OUT && includes(textOfFunction(getter), '[native code]')) return value[key];
    throw new Lost('an accessor');
  }
  const child = value[key];
  if (child === undefined && getOwnPropertyDescriptor(value, key).set !== undefined) throw new Lost('an accessor');
  return child;
}

/** What a property is that no text shows: the first of these. */
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

const isObject = (value) => typeof value === 'object' && value !== null;

class Writer {
  /** The number of each object that was written. */
  #seen = new MapType();
  /** By number: the number of the object it is in (or the name of the state that it is), and the step from there. */
  #parents = [];
  #steps = [];
  #depth = 0;
  #isPatched = isPatched();

  /** Has an object written as a state of this name wherever it is met, unless it is another state already. */
  expect(name, value) {
    if (isObject(value) && !mapHas(this.#seen, value)) this.#number(value, name, undefined);
  }

  /** The text of a state; an array with the reason when it has none. */
  state(name, value) {
    this.#depth = 0;
    try {
      const id = isObject(value) ? mapGet(this.#seen, value) : undefined;
      return stringify(id !== undefined && this.#parents[id] === name ? this.#members(value, id) : this.value(value, name, undefined));
    } catch (error) {
      if (isLost(error)) return [error.reason()];
      if (error instanceof RangeError) return ['it is nested too deep'];
      throw error;
    }
  }

  /** The dependencies of an effect; null when another process could not tell whether they have changed. */
  dependencies(list, input) {
    const written = [];
    for (let index = 0; index < list.length; index++) {
      const value = list[index];
      if (isObject(value) || typeof value === 'function') {
        const known = value === input ? this.tagged('input', []) : this.#reference(value);
        if (known === undefined) return null;
        written[index] = known;
      } else if (typeof value === 'symbol') return null;
      else written[index] = this.value(value);
    }
    return written;
  }

  /** What stands for a value; the value itself when that is what JSON makes of it. */
  value(value, parent, step) {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        if (value === 0) return is(value, -0) ? this.tagged('number', ['-0']) : value;
        return value - value === 0 ? value : this.tagged('number', [`${value}`]);
      case 'object':
        return value === null ? null : this.#object(value, parent, step);
      case 'undefined':
        return this.tagged('undefined', []);
      case 'bigint':
        return this.tagged('bigint', [`${value}`]);
      default:
        throw new Lost(`a ${typeof value}`);
    }
  }

  /** An object that only this format has. Its lists never ask a method of a script's. */
  tagged(kind, of) {
    const node = create(null);
    node[MARK] = kind;
    node.of = this.#isPatched ? setPrototypeOf(of, null) : of;
    return node;
  }

  /** What stands for a list of values, each `[label, value]`, that lie in the tagged object `id`. */
  all(list, id) {
    const written = [];
    for (let step = 0; step < list.length; step++) {
      try {
        written[step] = this.value(list[step][1], id, step);
      } catch (error) {
        throw isLost(error) ? error.under(list[step][0]) : error;
      }
    }
    return written;
  }

  #number(value, parent, step) {
    const id = this.#parents.length;
    mapSet(this.#seen, value, id);
    this.#parents[id] = parent;
    this.#steps[id] = step;
    return id;
  }

  #reference(value) {
    let id = mapGet(this.#seen, value);
    if (id === undefined) return undefined;
    const path = [];
    for (; typeof id === 'number'; id = this.#parents[id]) path[path.length] = this.#steps[id];
    // The outermost has no step.
    path[path.length - 1] = id;
    const of = [];
    for (let index = path.length - 1; index >= 0; index--) of[of.length] = path[index];
    return this.tagged('ref', of);
  }

  #object(value, parent, step) {
    return this.#reference(value) ?? this.#members(value, this.#number(value, parent, step));
  }

  /** What stands for an object that is written here. */
  #members(value, id) {
    if (proxyDetails(value) !== undefined) throw new Lost('a proxy');
    if (this.#depth === MAX_DEPTH) throw new RangeError('too deep');
    this.#depth++;
    const prototype = getPrototypeOf(value);
    const written =
      prototype === ObjectPrototype ? this.#plain(value, id) : prototype === ArrayPrototype && isArray(value) ? this.#array(value, id) : this.#other(value, prototype, id);
    this.#depth--;
    return written;
  }

  #plain(value, id) {
    const names = ownKeys(value);
    if (keys(value).length !== names.length) throw new Lost(hidden(value, names));
    if (hasOwn(value, MARK)) return this.#entries('object', value, names, id);
    let copy = this.#isPatched ? create(null) : undefined;
    let key;
    try {
      for (let index = 0; index < names.length; index++) {
        key = names[index];
        const child = read(value, key);
        const written = this.value(child, id, key);
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

  #array(value, id) {
    const names = ownKeys(value);
    const { length } = value;
    if (names.length !== length + 1 || names[length] !== 'length') return this.#sparse(value, names, id);
    let copy = this.#isPatched ? setPrototypeOf([], null) : undefined;
    let index = 0;
    try {
      for (; index < length; index++) {
        const child = read(value, names[index]);
        const written = this.value(child, id, index);
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

  /** An array with holes, or with properties that are no elements. */
  #sparse(value, names, id) {
    const list = [['.length', value.length]];
    for (let index = 0; index < names.length; index++) {
      if (names[index] !== 'length') addEntry(list, value, names[index]);
    }
    return this.tagged('array', this.all(list, id));
  }

  #entries(kind, value, names, id) {
    const list = [];
    for (let index = 0; index < names.length; index++) addEntry(list, value, names[index]);
    return this.tagged(kind, this.all(list, id));
  }

  #other(value, prototype, id) {
    if (prototype === null) {
      const names = ownKeys(value);
      if (keys(value).length !== names.length) throw new Lost(hidden(value, names));
      return this.#entries('bare', value, names, id);
    }
    const write = mapGet(KINDS, prototype) ?? unknownKind(value, prototype);
    if (write === undefined) throw new Lost(nameOfClass(prototype));
    return write(value, this, id);
  }
}

/** The texts of states; `lost` are those of which is known that they have none. */
function writeAll(names, values, lost) {
  const writer = new Writer();
  const texts = [];
  let isWhole = true;
  for (let index = 0; index < names.length; index++) if (lost[index] === undefined) writer.expect(names[index], values[index]);
  for (let index = 0; index < names.length; index++) {
    texts[index] = lost[index] ?? writer.state(names[index], values[index]);
    if (lost[index] !== undefined || typeof texts[index] === 'string') continue;
    lost[index] = texts[index];
    isWhole = false;
  }
  // Others may refer to what is lost: they are written anew, without it.
  return isWhole ? { writer, texts } : writeAll(names, values, lost);
}

/**
 * The texts of states, and of what effects depend on: a list of lists, null for effects that are not to be remembered.
 * `[texts, text of the dependencies]`; in place of a text `[reason]` where there is none.
 */
export function writeStates(names, values, effects, input) {
  const { writer, texts } = writeAll(names, values, []);
  const dependencies = [];
  for (let index = 0; index < effects.length; index++) {
    const list = effects[index];
    dependencies[index] = list === null ? null : writer.dependencies(list, input);
  }
  return [texts, stringify(dependencies)];
}
