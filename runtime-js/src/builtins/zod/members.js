// Replaces zod's functions `members` and `defineBound` (zod/lazy.mjs inserts them, and fails if zod's have changed).
// They define the methods of a schema kind as accessors on the prototype of every kind that has them: some 60 for each
// prototype, most of the cost of a first schema. zod makes new functions for each of them; these are made once for a
// table of methods, as they depend on nothing but `this`.
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

/** The first read defines a bound method on the object. */
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
