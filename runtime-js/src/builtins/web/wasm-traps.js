// Wraps functions of WebAssembly modules so that traps throw `RuntimeError`. Tables accept and return only polywasm's
// own functions, so this maps between both.
import { timed } from './wasm-time.js';

/** The engine's messages, and V8's. */
const TRAPS = [
  [/^not a function/, 'unreachable'],
  [/property 'u' of null/, 'null function or function signature mismatch'],
  [/property 'u' of undefined/, 'table index is out of bounds'],
  [/division by zero/, 'divide by zero'],
  [/^(out of bound|invalid array index|)$/, 'memory access out of bounds'],
];
/** The first frame of an error raised in a module's function, or in its memory access. */
const OWN_FRAME = /^(?:.*\n)?(?:\s+at [gs]et(?:Int|Uint|Float|Big)\w+ \(native\)\n)?\s+at wasm:function\[/;

/** The error to throw instead of `error`. */
export function trapped(error, RuntimeError) {
  if (!(error instanceof TypeError || error instanceof RangeError) || !OWN_FRAME.test(error.stack)) return error;
  const found = TRAPS.find(([pattern]) => pattern.test(error.message));
  return found ? new RuntimeError(found[1]) : error;
}

const givenOut = new WeakMap();
const inner = new WeakMap();

/** The wrapper of a polywasm function; `RuntimeError` is the class of traps, `origin` what loaded the module. */
export function wrapFunction(native, RuntimeError, origin = 'this program') {
  if (typeof native !== 'function') return native;
  let given = givenOut.get(native);
  if (given) return given;
  given = (...values) => {
    try {
      return timed(origin, () => native(...values));
    } catch (error) {
      throw trapped(error, RuntimeError);
    }
  };
  Object.defineProperty(given, 'length', { value: native.length, configurable: true });
  givenOut.set(native, given);
  inner.set(given, native);
  return given;
}

const PREPARED = new WeakSet();

/** Makes a table accept and return wrapped functions. */
export function prepareTable(table, RuntimeError) {
  if (PREPARED.has(table)) return table;
  PREPARED.add(table);
  const { get, set, grow } = table;
  /** Unwraps `value`; a table of functions may refuse it. */
  const taking = (name, run, value) => {
    try {
      return run(inner.get(value) ?? value);
    } catch (error) {
      if (!/foreign function/.test(error.message)) throw error;
      throw new TypeError(`WebAssembly.Table.${name}(): Argument 1 is invalid for table: function-typed object expected`);
    }
  };
  table.get = (index) => wrapFunction(get(index), RuntimeError);
  table.set = (index, value = null) => taking('set', (item) => set(index, item), value);
  table.grow = (count, value = null) => taking('grow', (item) => grow(count, item), value);
  return table;
}
