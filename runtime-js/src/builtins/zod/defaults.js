// Replaces zod's functions `_default2` (`default`) and `prefault` (zod/lazy.mjs inserts them, and fails if zod's have
// changed). The getter also has the value itself, as zod's own getter of shapes has: same.js can then compare schemas
// without running code of the script.
/* global ZodDefault, ZodPrefault, util_exports */

function _default2(innerType, defaultValue) {
  return new ZodDefault(withDefault('default', innerType, defaultValue));
}

function prefault(innerType, defaultValue) {
  return new ZodPrefault(withDefault('prefault', innerType, defaultValue));
}

function withDefault(type, innerType, raw) {
  const isMade = typeof raw === 'function';
  const get = () => (isMade ? raw() : util_exports.shallowClone(raw));
  if (!isMade) get.raw = raw;
  return Object.defineProperty({ type, innerType }, 'defaultValue', { configurable: true, enumerable: true, get });
}
