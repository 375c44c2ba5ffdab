// `vi.stubEnv`, `vi.stubGlobal` and their reversal.
const environment = new Map();
const globals = new Map();

export const stubs = {
  stubEnv(name, value) {
    if (typeof name !== 'string' || name === '')
      throw new TypeError(`vi.stubEnv: the name must be a string, got ${name === null ? 'null' : typeof name}`);
    if (!environment.has(name)) environment.set(name, process.env[name]);
    if (value === undefined) delete process.env[name];
    else process.env[name] = String(value);
  },
  stubGlobal(name, value) {
    if (!globals.has(name)) globals.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  },
  unstubAllEnvs() {
    environment.forEach((value, name) => {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    });
    environment.clear();
  },
  unstubAllGlobals() {
    globals.forEach((descriptor, name) => {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    });
    globals.clear();
  },
};
