// `process.env`: whatever is put into it becomes a string, as in Node, and another `TZ` is another `Date`.
import { importBuiltin } from 'lmthing:internal/native/modules';

const text = (value) => {
  if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
  return String(value);
};

function change(variables, name, make) {
  const before = variables.TZ;
  const isDone = make();
  if (name === 'TZ' && variables.TZ !== before) importBuiltin('lmthing:internal/date').install();
  return isDone;
}

/** An object with the variables of `initial`. */
export const environment = (initial) =>
  new Proxy(initial, {
    defineProperty(variables, name, descriptor) {
      const isVariable = typeof name === 'string' && 'value' in descriptor;
      const written = isVariable ? { ...descriptor, value: text(descriptor.value) } : descriptor;
      return change(variables, name, () => Reflect.defineProperty(variables, name, written));
    },
    deleteProperty(variables, name) {
      return change(variables, name, () => Reflect.deleteProperty(variables, name));
    },
  });
