/**
 * Sets the public name of a class: the bundler renames classes that refer to themselves. With `tagged`, also sets
 * `Symbol.toStringTag`, which web classes have.
 */
export function brand(Class, name, tagged = true) {
  Object.defineProperty(Class, 'name', { value: name, configurable: true });
  if (tagged) Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
