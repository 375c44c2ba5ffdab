// `process.env`: whatever is put into it becomes a string, as in Node.

const text = (value) => {
  if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
  return String(value);
};

/** An object with the variables of `initial`. */
export const environment = (initial) =>
  new Proxy(initial, {
    defineProperty(variables, name, descriptor) {
      const isVariable = typeof name === 'string' && 'value' in descriptor;
      return Reflect.defineProperty(variables, name, isVariable ? { ...descriptor, value: text(descriptor.value) } : descriptor);
    },
  });
