// The declarations of zod, each made when it is first asked for. zod/lazy.mjs makes the modules that have their code.
/**
 * Gives a declaration by its number. `load` gives a function for the name of a part, which makes the declarations of that part;
 * `parts` are names with the numbers of their first ones. The numbers from `namespaces` on are those of namespaces, whose exports
 * `exported` lists: `,name:number,name:number,`.
 */
export function lazyUnits(load, parts, namespaces, exported) {
  const made = {};
  const loaded = {};
  const unit = (number) => made[number] ?? make(number);
  const make = (number) => {
    if (number >= namespaces) return (made[number] = new Proxy({}, new Namespace(exported[number - namespaces], unit)));
    let [name, first] = parts[0];
    for (let next = 1; next < parts.length && parts[next][1] <= number; next++) [name, first] = parts[next];
    const declare = (loaded[name] ??= load(name));
    return (made[number] = declare(number - first));
  };
  return unit;
}

/**
 * The handler of a namespace that looks up what is read, and becomes a frozen object of everything once it is looked at
 * in any other way. No export has a name that objects inherit.
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
    const at = this.#exported.indexOf(`,${name}:`);
    return at < 0 ? undefined : parseInt(this.#exported.slice(at + name.length + 2), 10);
  }

  #fill(target) {
    if (Object.isFrozen(target)) return target;
    for (const name of Object.keys(target)) delete target[name];
    for (const [, name, number] of this.#exported.matchAll(/([^,:]+):(\d+)/g)) target[name] = this.#unit(Number(number));
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
    return Reflect.ownKeys(this.#fill(target));
  }

  getOwnPropertyDescriptor(target, name) {
    return Reflect.getOwnPropertyDescriptor(this.#fill(target), name);
  }

  defineProperty(target, name, descriptor) {
    return Reflect.defineProperty(this.#fill(target), name, descriptor);
  }

  deleteProperty(target, name) {
    return Reflect.deleteProperty(this.#fill(target), name);
  }

  set(target) {
    this.#fill(target);
    return false;
  }

  isExtensible(target) {
    return Reflect.isExtensible(this.#fill(target));
  }

  preventExtensions(target) {
    return Reflect.preventExtensions(this.#fill(target));
  }

  setPrototypeOf(target, prototype) {
    return Reflect.setPrototypeOf(this.#fill(target), prototype);
  }
}
