// Parses state texts to values.
import {
  ArrayPrototype, BufferType, Bytes, DateType, ERRORS, MARK, MapType, ObjectPrototype, RegExpType, SetType, VIEWS, create, defineProperty, deleteProperty,
  domException, fromBase64, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, includes, isArray, isDetached, isExtensible, isView, keys,
  lengthOfBuffer, mapClear, mapForEach, mapGet, mapHas, mapSet, nodeBuffer, ownKeys, parse, placeOf, setAdd, setBytes, setClear, setHas, setTime,
  sliceOfArray as slice, toBigInt, toObject,
} from './natives.js';

const byName = (types) => {
  const named = new MapType();
  mapForEach(types, (type) => mapSet(named, type.name, type));
  return named;
};
const views = byName(VIEWS);
const errors = byName(ERRORS);

const isTagged = (node) => !isArray(node) && hasOwn(node, MARK);
const isObject = (value) => typeof value === 'object' && value !== null;
const put = (target, key, value, enumerable = true) => defineProperty(target, key, { value, enumerable, writable: true, configurable: true });

class Reader {
  /** Parsed states by name. */
  #states = new MapType();
  /** The values of text nodes. A node that is plain JSON is its own value. */
  #values = new MapType();
  /** Existing objects that were reused: none may be used twice. */
  #kept = new SetType();
  #input;

  constructor(input) {
    this.#input = input;
  }

  /** Registers a state. `old`: `[existing value]`, which is updated in place as far as possible. */
  expect(name, text, old) {
    mapSet(this.#states, name, { node: parse(text), isPlain: old === undefined && !includes(text, '"~"'), old: old === undefined ? undefined : old[0] });
  }

  state(name) {
    const { node, isPlain, old } = mapGet(this.#states, name);
    return isPlain ? node : this.value(node, old);
  }

  value(node, old) {
    if (!isObject(node)) return node;
    if (mapHas(this.#values, node)) return mapGet(this.#values, node);
    if (isTagged(node)) return this.#tagged(node, node.of, old);
    const names = keys(node);
    const pairs = [];
    for (let index = 0; index < names.length; index++) {
      pairs[index * 2] = names[index];
      pairs[index * 2 + 1] = node[names[index]];
    }
    return isArray(node) ? this.#list(node, pairs, node.length, old) : this.#object(node, pairs, ObjectPrototype, old);
  }

  #tagged(node, of, old) {
    switch (node[MARK]) {
      case 'undefined':
        return undefined;
      case 'number':
        return +of[0];
      case 'bigint':
        return toBigInt(of[0]);
      case 'input':
        return this.#input;
      case 'ref':
        return this.#referred(of);
      case 'object':
        return this.#object(node, of, ObjectPrototype, old);
      case 'bare':
        return this.#object(node, of, null, old);
      case 'array':
        return this.#list(node, slice(of, 1), of[0], old);
      case 'map':
        return this.#map(node, of, old);
      case 'set':
        return this.#set(node, of, old);
      case 'error':
        return this.#error(node, of);
      case 'exception':
        return this.#exception(node, of);
      default:
        return this.#is(node, this.#leaf(node[MARK], of, old));
    }
  }

  #is(node, value) {
    mapSet(this.#values, node, value);
    return value;
  }

  #referred(path) {
    const state = mapGet(this.#states, path[0]);
    if (path.length === 1) return this.state(path[0]);
    let { node } = state;
    for (let index = 1; index < path.length; index++) node = isTagged(node) ? node.of[path[index]] : node[path[index]];
    // A state may refer to one that is not read yet.
    return state.isPlain ? node : this.value(node);
  }

  /** The existing object, if it has the right prototype and may be changed. */
  #reused(old, prototype) {
    if (!isObject(old) || getPrototypeOf(old) !== prototype || !isExtensible(old) || setHas(this.#kept, old)) return undefined;
    setAdd(this.#kept, old);
    return old;
  }

  #object(node, pairs, prototype, old) {
    const value = this.#reused(old, prototype) ?? create(prototype);
    return this.#fill(this.#is(node, value), pairs);
  }

  #list(node, pairs, length, old) {
    const value = this.#is(node, (isArray(old) ? this.#reused(old, ArrayPrototype) : undefined) ?? []);
    this.#fill(value, pairs);
    value.length = length;
    return value;
  }

  /** Makes these, in this order, the only properties of an object. */
  #fill(value, pairs) {
    const old = create(null);
    const names = ownKeys(value);
    for (let index = 0; index < names.length; index++) {
      old[names[index]] = getOwnPropertyDescriptor(value, names[index]).value;
      deleteProperty(value, names[index]);
    }
    for (let index = 0; index < pairs.length; index += 2) put(value, pairs[index], this.value(pairs[index + 1], old[pairs[index]]));
    return value;
  }

  #map(node, of, old) {
    const map = this.#is(node, this.#reused(old, MapType.prototype) ?? new MapType());
    const before = new MapType();
    mapForEach(map, (value, key) => void mapSet(before, key, value));
    mapClear(map);
    for (let index = 0; index < of.length; index += 2) {
      const key = this.value(of[index]);
      mapSet(map, key, this.value(of[index + 1], mapGet(before, key)));
    }
    return map;
  }

  #set(node, of, old) {
    const set = this.#is(node, this.#reused(old, SetType.prototype) ?? new SetType());
    setClear(set);
    for (let index = 0; index < of.length; index++) setAdd(set, this.value(of[index]));
    return set;
  }

  #error(node, of) {
    const Type = mapGet(errors, of[0]);
    const error = this.#is(node, of[0] === 'AggregateError' ? new Type([]) : new Type());
    deleteProperty(error, 'errors');
    put(error, 'stack', of[1], false);
    for (let index = 2; index < of.length; index += 3) put(error, of[index], this.value(of[index + 1]), of[index + 2]);
    return error;
  }

  #exception(node, of) {
    const exception = this.#is(node, new (domException())(of[0], of[1]));
    put(exception, 'stack', of[2], false);
    if (of.length > 3) put(exception, 'cause', this.value(of[3]), false);
    return exception;
  }

  #leaf(kind, of, old) {
    switch (kind) {
      case 'date':
        return this.#date(of[0] ?? NaN, old);
      case 'regexp':
        return new RegExpType(of[0], of[1]);
      case 'box':
        return toObject(this.value(of[0]));
      case 'buffer':
        return this.#buffer(fromBase64(of[0]), of[1], old);
      case 'view':
        return this.#view(of, old);
      default:
        throw new TypeError(`a value of a kind that is not known: ${kind}`);
    }
  }

  #date(time, old) {
    const date = this.#reused(old, DateType.prototype);
    if (date === undefined) return new DateType(time);
    setTime(date, time);
    return date;
  }

  #buffer(bytes, maxByteLength, old) {
    const isSame = isObject(old) && getPrototypeOf(old) === BufferType.prototype && !isDetached(old) && lengthOfBuffer(old) === bytes.length;
    const kept = isSame ? this.#reused(old, BufferType.prototype) : undefined;
    const buffer = kept ?? new BufferType(bytes.length, maxByteLength === undefined ? undefined : { maxByteLength });
    setBytes(new Bytes(buffer), bytes);
    return buffer;
  }

  #view([part, type, offset, length], old) {
    const before = isView(old) ? placeOf(old) : undefined;
    const buffer = this.value(part, before?.buffer);
    const Type = type === 'Buffer' ? nodeBuffer() : mapGet(views, type);
    if (before?.buffer === buffer && before.offset === offset && before.length === length && getPrototypeOf(old) === Type.prototype) return old;
    return type === 'Buffer' ? Type.from(buffer, offset, length) : new Type(buffer, offset, length);
  }
}

/**
 * The values of states, and the dependencies of effects: lists, null for effects that count as not run. `old` has for
 * each state nothing, or `[value]`: its existing object, which is updated in place.
 */
export function readStates(names, texts, old, effects, input) {
  const reader = new Reader(input);
  const values = [];
  for (let index = 0; index < names.length; index++) reader.expect(names[index], texts[index], old[index]);
  for (let index = 0; index < names.length; index++) values[index] = reader.state(names[index]);
  const lists = parse(effects);
  for (let index = 0; index < lists.length; index++) {
    const list = lists[index];
    for (let place = 0; list !== null && place < list.length; place++) list[place] = reader.value(list[place]);
  }
  return [values, lists];
}
