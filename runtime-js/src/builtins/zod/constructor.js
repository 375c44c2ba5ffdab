// Replaces zod's function `$constructor` (zod/lazy.mjs inserts it, and fails if zod's has changed). It makes a kind of
// schema or check. A prompt function makes its schemas before every step, and zod's initialization of an instance lists
// the prototype of each of its four or five kinds with `for in`, which takes QuickJS a third of the whole time.
/* global members, newError */

/** Used for every instance: a new descriptor for each would take longer. */
const internalsProperty = { value: undefined, enumerable: false };

function $constructor(name, initialize, methods, params) {
  const Parent = params?.Parent;
  const Thrown = Parent && Object.defineProperty(class extends Parent {}, 'name', { value: name });
  // Kinds, and prototypes of other objects, from which the methods can be reached.
  const equipped = methods && new WeakSet();

  // A constructor, whose fields take less memory than those of a literal with another prototype.
  function Internals(def) {
    this.def = def;
    this.constr = Kind;
    this.traits = new Set();
  }
  // Values that zod derives on demand are defined here.
  Internals.prototype = {};

  function init(inst, def) {
    const known = inst._zod;
    if (!known) addInternals(inst, new Internals(def));
    else if (known.traits.has(name)) return;
    const { traits, constr } = inst._zod;
    traits.add(name);
    initialize(inst, def);
    const isPlain = inst.constructor === constr;
    if (equipped && !(isPlain && equipped.has(constr))) equip(inst, constr, isPlain);
    // Methods that a script has added to the prototype of a kind; those of its own prototype are inherited.
    if (!isPlain || constr !== Kind) bindAdded(inst, Kind.prototype);
  }

  function equip(inst, constr, isPlain) {
    const prototype = Object.getPrototypeOf(inst);
    // A subclass of a user may override methods, so they belong to the prototype below its own.
    const target = constr.prototype.isPrototypeOf(inst) ? constr.prototype : prototype;
    if (!equipped.has(target)) members(target, methods);
    equipped.add(target);
    if (isPlain) equipped.add(constr);
  }

  function Kind(def) {
    const inst = Thrown ? newError(Thrown) : this;
    init(inst, def);
    const { deferred } = inst._zod;
    if (deferred) {
      // One of them may add another.
      for (let index = 0; index < deferred.length; index++) deferred[index]();
      inst._zod.deferred = undefined;
    }
    // Set by `zod/compile`.
    globalThis.__zod_globalConfig?.postProcessor?.(inst);
    return inst;
  }

  Object.defineProperty(Kind, 'init', { value: init });
  Object.defineProperty(Kind, Symbol.hasInstance, {
    value: (inst) => (Parent && inst instanceof Parent) || inst?._zod?.traits?.has(name),
  });
  return Object.defineProperty(Kind, 'name', { value: name });
}

function addInternals(inst, internals) {
  internalsProperty.value = internals;
  try {
    Object.defineProperty(inst, '_zod', internalsProperty);
  } finally {
    internalsProperty.value = undefined;
  }
}

function bindAdded(inst, prototype) {
  const names = Object.keys(prototype);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (!(name in inst)) inst[name] = prototype[name].bind(inst);
  }
}
