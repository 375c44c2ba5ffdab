// `node:vm`: scripts in the global scope, and in a scope backed by an object. All contexts share one set of built-in
// objects: a "new context" sees the same `Array`, and only the language's own names and those of its object.
import { invalidArgumentType, nodeError, notOffered } from '../shared/errors.js';

const contexts = new WeakSet();
/** Names of the language; the rest of `globalThis` is hidden in a context. */
const LANGUAGE = new Set(
  ('Infinity NaN undefined isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape ' +
    'Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError ' +
    'SyntaxError TypeError URIError JSON Math Intl ArrayBuffer SharedArrayBuffer Atomics DataView Uint8Array Int8Array Uint16Array Int16Array ' +
    'Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array Map Set WeakMap WeakSet WeakRef ' +
    'FinalizationRegistry Proxy Reflect Iterator WebAssembly SuppressedError DisposableStack AsyncDisposableStack Float16Array InternalError').split(' '),
);
/** The console of contexts, which prints nothing, as in Node. */
const silentConsole = () => Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]));
/** The name of the scope object inside. */
const SCOPE = '$lmthingScope';
const CODE = '$lmthingCode';
const TELL = '$lmthingTell';
const own = new Set([SCOPE, CODE, TELL, 'eval', 'arguments']);

/** Runs `code` in sloppy mode with the names of `scope`; then reports how to read the functions it declared. */
const runScoped = new Function(SCOPE, CODE, TELL, `with (${SCOPE}) { try { return eval(${CODE}); } finally { ${TELL}((name) => eval(name)); } }`);

/** Names of all functions declared in `code`: these are outside of the scope object until copied there. */
const declared = (code) => [...code.matchAll(/(?:^|[;\n{}])\s*(?:async\s+)?function\s*\*?\s*([\w$]+)/g)].map(([, name]) => name);
/** Names used with `typeof`, which need not exist. */
const probed = (code) => new Set([...code.matchAll(/\btypeof\s+([\w$]+)/g)].map(([, name]) => name));

function runWith(object, code) {
  const functions = declared(code).filter((name) => !(name in object));
  const asked = probed(code);
  const scope = new Proxy(object, {
    has: (target, name) => typeof name === 'string' && !own.has(name) && (name in target || !functions.includes(name)),
    get(target, name) {
      if (name === Symbol.unscopables) return undefined;
      if (name in target) return target[name];
      if (name === 'globalThis') return object;
      if (LANGUAGE.has(name)) return globalThis[name];
      if (name === 'console') return silentConsole();
      if (asked.has(name)) return undefined;
      throw new ReferenceError(`${String(name)} is not defined`);
    },
    set(target, name, value) {
      target[name] = value;
      return true;
    },
  });
  const tell = (read) => {
    for (const name of functions) {
      try {
        object[name] = read(name);
      } catch {
        // Declared in an inner scope.
      }
    }
  };
  return runScoped.call(object, scope, code, tell);
}

function checkedCode(code, name = 'code') {
  if (typeof code !== 'string') throw invalidArgumentType(name, 'of type string', code);
  return code;
}

function checkedContext(object) {
  if (typeof object !== 'object' || object === null) throw invalidArgumentType('contextifiedObject', 'of type object', object);
  if (!contexts.has(object)) throw invalidArgumentType('contextifiedObject', 'an vm.Context', object);
  return object;
}

export function createContext(object = {}) {
  if (typeof object !== 'object' || object === null) throw invalidArgumentType('contextObject', 'of type object', object);
  contexts.add(object);
  return object;
}
export function isContext(object) {
  if (typeof object !== 'object' || object === null) throw invalidArgumentType('object', 'of type object', object);
  return contexts.has(object);
}

// Indirect `eval` runs in the global scope.
const globalEval = globalThis.eval;

export const runInThisContext = (code) => globalEval(`${code}`);
export const runInContext = (code, object) => runWith(checkedContext(object), `${code}`);
export const runInNewContext = (code, object) => runWith(createContext(object), `${code}`);

export class Script {
  #code;

  constructor(code) {
    this.#code = `${code}`;
    // Reports syntax errors early. Only a function body can be compiled without running it; scripts that differ in one
    // are skipped.
    if (!/\breturn\b/.test(this.#code)) new Function(this.#code);
  }

  runInThisContext() {
    return globalEval(this.#code);
  }

  runInContext(object) {
    return runWith(checkedContext(object), this.#code);
  }

  runInNewContext(object) {
    return runWith(createContext(object), this.#code);
  }

  createCachedData() {
    return Buffer.alloc(0);
  }
}
export const createScript = (code) => new Script(code);

export function compileFunction(code, parameters = [], { parsingContext } = {}) {
  if (parsingContext) throw nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'lmthing does not offer vm.compileFunction with a parsingContext');
  return new Function(...parameters, checkedCode(code));
}
export const measureMemory = notOffered('vm.measureMemory');
export const SourceTextModule = notOffered('vm.SourceTextModule');
export const constants = Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') });

export default { compileFunction, constants, createContext, createScript, isContext, measureMemory, runInContext, runInNewContext, runInThisContext, Script };
