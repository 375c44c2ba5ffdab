// `process.env`: converts values to strings, as in Node, and replaces `Date` when `TZ` changes.
import { importBuiltin } from 'lmthing:internal/native/modules';
import * as native from 'lmthing:internal/native/process';
import { nodeError } from './errors.js';

const text = (value) => {
  if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
  return String(value).toWellFormed();
};

const refused = (message) => nodeError(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', message);

function change(variables, name, make) {
  const before = variables.TZ;
  const isDone = make();
  if (name === 'TZ' && variables.TZ !== before) importBuiltin('lmthing:internal/date').install();
  return isDone;
}

/** Properties that inspection and promises read of any object, and that are not variables. */
const NO_VARIABLES = new Set(['toJSON', 'then', 'length', 'inspect', 'nodeType', 'asymmetricMatch', '$$typeof', '@@__IMMUTABLE_ITERABLE__@@']);

/** `process.env` for reads that the script did not cause: a variable that may not be read is unset. */
export const quietEnvironment = () => (native.refuseVariable ? native.env : process.env);

/**
 * An object with the variables of `initial`. Calls `note(name, value)` for each that is set; `refuse(name)` throws for
 * one that may not be read.
 */
export function environment(initial, note, refuse) {
  const proxy = new Proxy(initial, {
    ...(refuse && {
      get(variables, name, receiver) {
        if (typeof name === 'string' && !(name in variables) && !NO_VARIABLES.has(name)) refuse(name);
        return Reflect.get(variables, name, receiver);
      },
    }),
    set(variables, name, value, receiver) {
      // An object that inherits from it, or the receiver of `Reflect.set`, gets an own member.
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
