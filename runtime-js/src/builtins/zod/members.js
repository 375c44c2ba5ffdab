// In the place of zod's own functions `members` and `defineBound` (zod/lazy.mjs puts them there, and fails when zod's have changed).
// They put the methods of a kind of schema on the prototype of every kind that has them, as accessors: some 60 for each prototype,
// most of what a first schema costs in this engine. zod makes functions for each of them; these make them once for a table of
// methods, as they look at nothing but `this`.
/* global own */

const describedMembers = new WeakMap();

function members(proto, table) {
  let descriptors = describedMembers.get(table);
  if (!descriptors) describedMembers.set(table, (descriptors = describeMembers(table)));
  Object.defineProperties(proto, descriptors);
}

function describeMembers(table) {
  const descriptors = {};
  for (const key in table) {
    const described = Object.getOwnPropertyDescriptor(table, key);
    descriptors[key] = described.get ? { ...described, enumerable: false } : boundMember(key, described.value);
  }
  return descriptors;
}

/** The first read gives an object a method of its own that is bound to it. */
function boundMember(key, method) {
  return {
    configurable: true,
    get() {
      return this == null ? method : own(this, key, method.bind(this));
    },
    set(value) {
      own(this, key, value);
    },
  };
}
