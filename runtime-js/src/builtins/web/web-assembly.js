// `WebAssembly`: npm's polywasm, which compiles modules to JavaScript, and the parts of the API that it omits.
import { WebAssembly as Engine } from 'polywasm';
import { asBytes } from '../shared/bytes.js';
import { brand } from '../shared/brand.js';
import { outline } from './wasm-outline.js';
import { callingPackage, timed } from './wasm-time.js';
import { wrapFunction, prepareTable, trapped } from './wasm-traps.js';

const errorClass = (name) => {
  const Class = class extends Error {};
  brand(Class, name, false);
  Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
  return Class;
};
export const CompileError = errorClass('CompileError');
export const LinkError = errorClass('LinkError');
export const RuntimeError = errorClass('RuntimeError');

const outlines = new WeakMap();

/** Checks the module now, so that unsupported code is not refused only when called. */
function bytesOf(source, caller) {
  const bytes = asBytes(source);
  if (!bytes) throw new TypeError(`${caller}: Argument 0 must be a buffer source`);
  return bytes;
}

function build(Class, source, caller) {
  const bytes = bytesOf(source, caller);
  try {
    const origin = callingPackage(new Error());
    const found = outline(bytes);
    const module = timed(origin, () => Reflect.construct(Engine.Module, [bytes], Class));
    outlines.set(module, { ...found, origin });
    return module;
  } catch (error) {
    throw new CompileError(`${caller}: ${error.message}`);
  }
}

export class Module extends Engine.Module {
  constructor(source) {
    return build(new.target, source, 'WebAssembly.Module()');
  }

  static exports(module) {
    return outlines.get(module).exports.map(({ name, kind }) => ({ name, kind }));
  }

  static imports(module) {
    return outlines.get(module).imports.map(({ module: from, name, kind }) => ({ module: from, name, kind }));
  }

  static customSections(module, name) {
    return outlines.get(module).custom.filter((section) => section.name === String(name)).map(({ data }) => data.slice().buffer);
  }
}
brand(Module, 'WebAssembly.Module');
Object.defineProperty(Module, 'name', { value: 'Module', configurable: true });

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function checkImports(module, imports, caller) {
  const wanted = outlines.get(module).imports;
  if (wanted.length > 0 && !isObject(imports)) throw new TypeError(`${caller}: Imports argument must be present and must be an object`);
  wanted.forEach(({ module: from, name, kind }, index) => {
    const place = `${caller}: Import #${index} module="${from}"`;
    if (!isObject(imports[from])) throw new TypeError(`${place} error: module is not an object or function`);
    const value = imports[from][name];
    const refused = (wanted) => new LinkError(`${place} function="${name}" error: ${wanted}`);
    if (kind === 'function' && typeof value !== 'function') throw refused('function import requires a callable');
    if (kind === 'memory' && !(value instanceof Engine.Memory)) throw refused('memory import must be a WebAssembly.Memory object');
    if (kind === 'table' && !(value instanceof Engine.Table)) throw refused('table import requires a WebAssembly.Table');
  });
}

export class Instance extends Engine.Instance {
  constructor(module, imports, caller = 'WebAssembly.Instance()') {
    if (!(module instanceof Module)) throw new TypeError(`${caller}: Argument 0 must be a WebAssembly.Module`);
    checkImports(module, imports, caller);
    try {
      super(module, imports);
    } catch (error) {
      throw trapped(error, RuntimeError);
    }
    const { origin, exports } = outlines.get(module);
    for (const { name, kind, index } of exports) {
      if (kind === 'table') prepareTable(this.exports[name], RuntimeError);
      if (kind !== 'function') continue;
      this.exports[name] = wrapFunction(this.exports[name], RuntimeError, origin);
      Object.defineProperty(this.exports[name], 'name', { value: String(index), configurable: true });
    }
    Object.freeze(this.exports);
  }
}
brand(Instance, 'WebAssembly.Instance');
Object.defineProperty(Instance, 'name', { value: 'Instance', configurable: true });

const bytesFrom = async (source) => (await source).arrayBuffer();

export async function compile(source) {
  return build(Module, source, 'WebAssembly.compile()');
}

export async function instantiate(source, imports) {
  const caller = 'WebAssembly.instantiate()';
  if (source instanceof Module) return new Instance(source, imports, caller);
  const module = build(Module, source, caller);
  return { module, instance: new Instance(module, imports, caller) };
}

export const compileStreaming = async (source) => compile(await bytesFrom(source));
export const instantiateStreaming = async (source, imports) => instantiate(await bytesFrom(source), imports);

export function validate(source) {
  const bytes = bytesOf(source, 'WebAssembly.validate()');
  try {
    build(Module, bytes, '');
    return true;
  } catch {
    return false;
  }
}

const asItIs = (value) => value;
const CONVERSIONS = { i32: (value) => value | 0, i64: (value) => BigInt.asIntN(64, value), f32: Math.fround, f64: Number, externref: asItIs, anyfunc: asItIs };
const DEFAULTS = { i32: 0, i64: 0n, f32: 0, f64: 0, anyfunc: null };

/** A value shared by modules; the engine only reads and writes `value`. */
export class Global extends Engine.Global {
  constructor({ value: type, mutable = false }, initial) {
    if (!Object.hasOwn(CONVERSIONS, type)) throw new TypeError("WebAssembly.Global(): Descriptor property 'value' must be a WebAssembly type");
    super();
    const convert = CONVERSIONS[type];
    let current = initial === undefined ? DEFAULTS[type] : convert(initial);
    const set = (value) => {
      if (!mutable) throw new TypeError("set WebAssembly.Global.value: Can't set the value of an immutable global.");
      current = convert(value);
    };
    Object.defineProperty(this, 'value', { get: () => current, set, enumerable: true, configurable: true });
  }
}
const { Memory } = Engine;

/** polywasm's table, adapted to wrapped functions. */
export function Table(...values) {
  if (!new.target) throw new TypeError('WebAssembly.Table must be invoked with \'new\'');
  return prepareTable(Reflect.construct(Engine.Table, values, new.target), RuntimeError);
}
Table.prototype = Engine.Table.prototype;
Table.prototype.constructor = Table;

for (const [name, Class] of Object.entries({ Global, Memory, Table })) {
  brand(Class, `WebAssembly.${name}`);
  Object.defineProperty(Class, 'name', { value: name, configurable: true });
}

const WebAssembly = {};
for (const [name, value] of Object.entries({ compile, validate, instantiate, compileStreaming, instantiateStreaming, Module, Instance, Table, Memory, Global, CompileError, LinkError, RuntimeError })) {
  Object.defineProperty(WebAssembly, name, { value, writable: true, configurable: true });
}
Object.defineProperty(WebAssembly, Symbol.toStringTag, { value: 'WebAssembly', configurable: true });
export { WebAssembly as default };
