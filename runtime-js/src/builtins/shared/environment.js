// `process.env`: whatever is put into it becomes a string, as in Node, and another `TZ` is another `Date`.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { nodeError } from './errors.js';

const text = (value) => {
  if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
  return String(value);
};

const refused = (message) => nodeError(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', message);

function change(variables, name, make) {
  const before = variables.TZ;
  const isDone = make();
  if (name === 'TZ' && variables.TZ !== before) importBuiltin('lmthing:internal/date').install();
  return isDone;
}

/** An object with the variables of `initial`; `note(name, value)` hears of each that is set. */
export function environment(initial, note) {
  const proxy = new Proxy(initial, {
    set(variables, name, value, receiver) {
      // An object that inherits from it, or that `Reflect.set` names, gets a member of its own.
      if (receiver !== proxy) return Reflect.set(variables, name, value, receiver);
      const written = text(value);
      note(text(name), written);
      return change(variables, text(name), () => Reflect.set(variables, name, written));
    },
    defineProperty(variables, name, descriptor) {
      if ('get' in descriptor || 'set' in descriptor) throw refused("'process.env' does not accept an accessor(getter/setter) descriptor");
      if (!descriptor.configurable || !descriptor.writable || !descriptor.enumerable) {
        throw refused("'process.env' only accepts a configurable, writable, and enumerable data descriptor");
      }
      return this.set(variables, name, descriptor.value, proxy);
    },
    preventExtensions: () => false,
    deleteProperty(variables, name) {
      return change(variables, name, () => Reflect.deleteProperty(variables, name));
    },
  });
  return proxy;
}
