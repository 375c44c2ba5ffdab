// CommonJS: `require`, its cache and `module` objects, as in Node. Rust resolves and compiles files
// (`lmthing:internal/native/commonjs`). Loaded with the first CommonJS module.

import { init as initLexer, parse as lex } from './commonjs-lexer.js';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { addonMessage, builtinName, compile, kindOf, lookupFolders, namespaceOf, readText, resolve } from 'lmthing:internal/native/commonjs';

/** `require.cache`, by file name; scripts may modify it. */
const cache = Object.create(null);

const dirname = (path) => path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), 1)) || '/';

export class Module {
  constructor(id = '', parent = undefined) {
    this.id = id;
    this.path = dirname(id);
    this.exports = {};
    this.filename = null;
    this.loaded = false;
    this.children = [];
    this.paths = [];
    Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true, enumerable: false });
    if (parent instanceof Module) parent.children.push(this);
  }

  require(id) {
    return requireFrom(this, id);
  }

  /** Compiles and runs `text` as the content of this module. */
  _compile(text, filename) {
    const run = compile(filename, text);
    run.call(this.exports, this.exports, makeRequire(this), this, filename, dirname(filename));
  }
}

/** `require.extensions`; compilers add to it. */
const extensions = Object.assign(Object.create(null), {
  '.js'(module, filename) {
    if (kindOf(filename) === 'module') module.exports = namespaceOf(filename);
    else module._compile(readText(filename), filename);
  },
  '.json'(module, filename) {
    try {
      module.exports = JSON.parse(readText(filename));
    } catch (error) {
      error.message = `${filename}: ${error.message}`;
      throw error;
    }
  },
  '.node'(module, filename) {
    throw Object.assign(new Error(addonMessage(filename)), { code: 'ERR_DLOPEN_FAILED' });
  },
});

function extensionOf(filename) {
  const name = filename.slice(filename.lastIndexOf('/') + 1);
  for (let at = name.indexOf('.', 1); at !== -1; at = name.indexOf('.', at + 1)) {
    if (name.slice(at) in extensions) return name.slice(at);
  }
  return '.js';
}

/** The exports of the file `filename`, which runs on the first call. */
function load(filename, parent) {
  const known = cache[filename];
  if (known !== undefined) {
    if (parent && !parent.children.includes(known)) parent.children.push(known);
    return known.exports;
  }
  const module = new Module(filename, parent);
  module.filename = filename;
  module.paths = lookupFolders(dirname(filename));
  // Cached before it runs: circular requires see the exports so far.
  cache[filename] = module;
  let done = false;
  try {
    extensions[extensionOf(filename)](module, filename);
    module.loaded = true;
    done = true;
  } finally {
    if (!done) {
      delete cache[filename];
      const siblings = parent?.children;
      if (siblings?.includes(module)) siblings.splice(siblings.indexOf(module), 1);
    }
  }
  return module.exports;
}

function checkId(id) {
  if (typeof id !== 'string') {
    const isObject = typeof id === 'object' && id !== null;
    const received = isObject ? `an instance of ${id.constructor?.name ?? 'Object'}` : id === undefined || id === null ? String(id) : `type ${typeof id} (${String(id)})`;
    throw Object.assign(new TypeError(`The "id" argument must be of type string. Received ${received}`), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  if (id === '') {
    const message = "The argument 'id' must be a non-empty string. Received ''";
    throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_VALUE' });
  }
}

function requireFrom(module, id) {
  checkId(id);
  const builtin = builtinName(id);
  if (builtin) return exportsOfBuiltin(builtin);
  return load(resolveFrom(module, id), module);
}

/** `require` of a built-in module returns the default export where there is one, whose functions programs patch. */
function exportsOfBuiltin(name) {
  const namespace = importBuiltin(name);
  return 'default' in namespace ? namespace.default : namespace;
}

/** The file that `id` resolves to; the error lists the requiring files. */
function resolveFrom(module, id, folder = dirname(module.filename ?? module.id)) {
  try {
    return resolve(id, folder);
  } catch (error) {
    if (id.startsWith('node:')) {
      throw Object.assign(new Error(`No such built-in module: ${id}`), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' });
    }
    if (error.code === 'MODULE_NOT_FOUND') {
      const stack = [];
      for (let at = module; at; at = at.parent) if (at.filename || at.id) stack.push(at.filename ?? at.id);
      error.message += `\nRequire stack:\n- ${stack.join('\n- ')}`;
      error.requireStack = stack;
    }
    throw error;
  }
}

function makeRequire(module) {
  function require(id) {
    return requireFrom(module, id);
  }
  require.resolve = function resolve(id, options) {
    checkId(id);
    const builtin = builtinName(id);
    // As in Node: the name that was requested.
    if (builtin) return id;
    if (!options?.paths) return resolveFrom(module, id);
    let failure;
    for (const folder of options.paths) {
      try {
        return resolveFrom(module, id, String(folder));
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure ?? new Error(`Cannot find module '${id}'`);
  };
  require.resolve.paths = (id) => {
    checkId(id);
    if (builtinName(id)) return null;
    return /^\.\.?(\/|$)/.test(id) ? [dirname(module.filename ?? module.id)] : lookupFolders(dirname(module.filename ?? module.id));
  };
  require.main = process.mainModule;
  require.extensions = extensions;
  require.cache = cache;
  return require;
}

/** `require` as in the file `from`, a path or a `file:` URL. */
export function createRequire(from) {
  const isUrl = from instanceof URL || (typeof from === 'string' && from.startsWith('file:'));
  let path = from;
  if (isUrl) path = importBuiltin('node:url').fileURLToPath(from);
  if (typeof path !== 'string' || !importBuiltin('node:path').isAbsolute(path)) {
    const message = `The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received ${typeof from === 'string' ? `'${from}'` : String(from)}`;
    throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_VALUE' });
  }
  // A folder is treated as a file in it.
  const module = new Module(path.endsWith('/') ? `${path}noop.js` : path);
  module.filename = module.id;
  module.paths = lookupFolders(module.path);
  return makeRequire(module);
}

/** For `import` of a CommonJS file: returns its exports, running it if necessary. */
export function loadForImport(filename) {
  return load(filename, undefined);
}

/** The names that `import` can see without running the file, by the rules of cjs-module-lexer, including re-exports. */
export function exportNames(filename) {
  const names = new Set();
  collectNames(filename, names, new Set());
  names.delete('default');
  return [...names];
}

function collectNames(filename, names, seen) {
  if (seen.has(filename)) return;
  seen.add(filename);
  // A re-exported ES module must not run early.
  if (kindOf(filename) !== 'commonjs') return;
  let found;
  try {
    initLexer();
    found = lex(readText(filename));
  } catch {
    // A file that cannot be read or parsed throws when it runs.
    return;
  }
  for (const name of found.exports) names.add(name);
  for (const id of found.reexports) {
    const builtin = builtinName(id);
    if (builtin) {
      for (const name of Object.keys(exportsOfBuiltin(builtin))) names.add(name);
      continue;
    }
    let file;
    try {
      file = resolve(id, dirname(filename));
    } catch {
      continue;
    }
    collectNames(file, names, seen);
  }
}

Module._cache = cache;
Module._extensions = extensions;
Module._load = (id, parent) => requireFrom(parent ?? new Module(`${process.cwd()}/noop.js`), id);
Module._resolveFilename = (id, parent, _isMain, options) => {
  const require = makeRequire(parent ?? new Module(`${process.cwd()}/noop.js`));
  return require.resolve(id, options);
};
Module._nodeModulePaths = (folder) => lookupFolders(folder);
Module.createRequire = createRequire;
Module.Module = Module;
