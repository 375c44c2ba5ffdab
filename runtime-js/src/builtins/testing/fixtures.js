// Fixtures of `test.extend`: values created for tests that name them, and cleaned up afterwards.

/**
 * The names that a function destructures from its first parameter, as in `({ a, b: c, d = 1 }) =>`; undefined if it
 * takes it whole.
 */
function namesIn(fn) {
  const source = Function.prototype.toString.call(fn);
  const [, parameter] = /^(?:async\s*)?(?:function\s*\*?\s*[\w$]*)?\s*(?:[\w$]+\s*)?\(\s*([^)]*)/.exec(source) ?? [];
  if (!parameter?.startsWith('{')) return parameter ? undefined : [];
  const names = parameter.slice(1, parameter.indexOf('}')).split(',').map((name) => name.split(/[:=]/)[0].trim()).filter(Boolean);
  return names.some((name) => name.startsWith('...')) ? undefined : names;
}

const isOptions = (value) => typeof value === 'object' && value !== null && ['auto', 'scope', 'injected'].some((key) => key in value);

/**
 * Parses the arguments of `test.extend`: an object of values, functions `(context, use)`, or either in an array with
 * `{auto}`; or a name with a value or a function that returns one.
 */
export function readFixtures([first, second, third]) {
  if (typeof first === 'string') {
    const [options, make] = third === undefined ? [{}, second] : [second, third];
    return { [first]: { make, isAuto: options.auto === true, returns: true } };
  }
  const read = (given) => (Array.isArray(given) && given.length === 2 && isOptions(given[1]) ? { make: given[0], isAuto: given[1].auto === true } : { make: given });
  return Object.fromEntries(Object.entries(first).map(([name, given]) => [name, read(given)]));
}

/** The fixtures of one attempt at a test. */
export class Fixtures {
  #fixtures;
  #context;
  #made = new Map();
  #cleanups = [];

  constructor(fixtures, context) {
    this.#fixtures = new Map(Object.entries(fixtures ?? {}));
    this.#context = context;
  }

  #asked(fn) {
    const asked = namesIn(fn) ?? [...this.#fixtures.keys()];
    return [...this.#fixtures].filter(([name, { isAuto }]) => !this.#made.has(name) && (isAuto || asked.includes(name))).map(([name]) => name);
  }

  /** Whether a function names fixtures that do not exist yet. */
  lacks(fn) {
    return this.#fixtures.size > 0 && this.#asked(fn).length > 0;
  }

  /** Creates the fixtures that a function names, and automatic ones. */
  async makeFor(fn) {
    for (const name of this.#asked(fn)) await this.#make(name, []);
  }

  async #make(name, outer) {
    if (this.#made.has(name)) return;
    if (outer.includes(name)) throw new Error(`test.extend: the fixture ${name} needs itself: ${[...outer, name].join(' → ')}`);
    const { make, returns } = this.#fixtures.get(name);
    if (typeof make !== 'function') return this.#give(name, make);
    for (const needed of namesIn(make) ?? []) if (needed !== name && this.#fixtures.has(needed)) await this.#make(needed, [...outer, name]);
    if (returns) return this.#give(name, await make(this.#context, { onCleanup: (fn) => void this.#cleanups.push(fn) }));
    await new Promise((resolve, reject) => {
      let isUsed = false;
      const use = (value) => {
        isUsed = true;
        this.#give(name, value);
        resolve();
        return new Promise((over) => this.#cleanups.push(() => (over(), whole)));
      };
      const whole = Promise.resolve(make(this.#context, use));
      whole.then(() => isUsed || reject(new Error(`test.extend: the fixture ${name} has not called use(value)`)), (error) => isUsed || reject(error));
    });
  }

  #give(name, value) {
    this.#made.set(name, value);
    Object.defineProperty(this.#context, name, { value, enumerable: true, configurable: true });
  }

  /** Cleanup functions, in the order to call them. */
  get cleanups() {
    return this.#cleanups.reverse();
  }
}
