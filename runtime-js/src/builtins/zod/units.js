// zod's declarations, each evaluated on first use. zod/lazy.mjs makes the modules with their code.
/**
 * Returns a declaration by its number. `load` loads a part by name; `open` makes from it a function that evaluates its
 * declarations, given an array of existing ones. `parts` are names with their first numbers. Numbers from `namespaces`
 * on are namespaces; `exports` has their members, by first letter: `{ s: ',string:12,symbol:14,' }`.
 */
export function lazyUnits(load, open, parts, namespaces, exports) {
  const made = {};
  const loaded = {};
  const unit = (number) => made[number] ?? make(number);
  const make = (number) => {
    if (number >= namespaces) return (made[number] = namespace(exports(number - namespaces), unit));
    let index = 0;
    while (index + 1 < parts.length && parts[index + 1][1] <= number) index++;
    const [name, first] = parts[index];
    const part = (loaded[name] ??= begin(load(name), (parts[index + 1]?.[1] ?? namespaces) - first));
    return (part.own[number - first] = made[number] = part.declare(number - first));
  };
  const begin = (part, length) => {
    // Preallocated elements are fast to read and write.
    const own = new Array(length).with(0, undefined);
    return { own, declare: open(part, own) };
  };
  return unit;
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

function namespace(exported, unit) {
  const handler = new Namespace(exported, unit);
  // `console.log` inspects the target of a proxy.
  const target = Object.defineProperty({}, INSPECT, { configurable: true, value: () => handler.fill(target) });
  return new Proxy(target, handler);
}

/**
 * Proxy handler of a namespace: resolves single reads; any other access turns it into a frozen object with all exports.
 * No export has the name of an inherited member.
 */
class Namespace {
  #exported;
  #unit;

  constructor(exported, unit) {
    this.#exported = exported;
    this.#unit = unit;
  }

  #find(name) {
    if (typeof name !== 'string' || name.includes(',')) return undefined;
    const list = this.#exported[name[0]] ?? '';
    const at = list.indexOf(`,${name}:`);
    return at < 0 ? undefined : parseInt(list.slice(at + name.length + 2), 10);
  }

  fill(target) {
    if (Object.isFrozen(target)) return target;
    for (const name of Reflect.ownKeys(target)) delete target[name];
    for (const list of Object.values(this.#exported)) {
      for (const [, name, number] of list.matchAll(/([^,:]+):(\d+)/g)) target[name] = this.#unit(Number(number));
    }
    return Object.freeze(target);
  }

  get(target, name) {
    const known = target[name];
    if (known !== undefined) return known;
    const number = this.#find(name);
    if (number === undefined) return undefined;
    const value = this.#unit(number);
    if (!Object.isFrozen(target)) target[name] = value;
    return value;
  }

  has(target, name) {
    return name in target || this.#find(name) !== undefined;
  }

  ownKeys(target) {
    return Reflect.ownKeys(this.fill(target));
  }

  getOwnPropertyDescriptor(target, name) {
    return Reflect.getOwnPropertyDescriptor(this.fill(target), name);
  }

  defineProperty(target, name, descriptor) {
    return Reflect.defineProperty(this.fill(target), name, descriptor);
  }

  deleteProperty(target, name) {
    return Reflect.deleteProperty(this.fill(target), name);
  }

  set(target) {
    this.fill(target);
    return false;
  }

  isExtensible(target) {
    return Reflect.isExtensible(this.fill(target));
  }

  preventExtensions(target) {
    return Reflect.preventExtensions(this.fill(target));
  }

  setPrototypeOf(target, prototype) {
    return Reflect.setPrototypeOf(this.fill(target), prototype);
  }
}
