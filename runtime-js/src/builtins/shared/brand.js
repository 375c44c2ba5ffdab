// What the engine calls the classes of this runtime.

/**
 * Gives a class its public name: bundling renames classes that mention themselves. With `tagged`, also the
 * `Symbol.toStringTag` that web classes have.
 */
export function brand(Class, name, tagged = true) {
  Object.defineProperty(Class, 'name', { value: name, configurable: true });
  if (tagged) Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
