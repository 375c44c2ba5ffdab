// `node:module`: `createRequire` and the list of built-in modules.

import { createRequire, Module } from 'lmthing:internal/commonjs';
import { builtinName, builtinNames } from 'lmthing:internal/native/commonjs';

const isBuiltin = (name) => typeof name === 'string' && builtinName(name) !== undefined;
// Without `node:`, as in Node.
const builtinModules = [...new Set(builtinNames().filter((name) => !/^(node:|lmthing|zod)/.test(name)))].sort();

/** Text around a CommonJS module. */
const wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
const wrap = (text) => wrapper[0] + text + wrapper[1];

/** Source maps are not read. */
const findSourceMap = () => undefined;
const syncBuiltinESMExports = () => {};
const register = () => {
  throw new Error('module.register() is not there: lmthing has no loader hooks');
};

Object.assign(Module, { builtinModules, isBuiltin, findSourceMap, syncBuiltinESMExports, register, wrap, wrapper });

export const { _cache, _extensions, _load, _nodeModulePaths, _resolveFilename } = Module;
export { Module as default, Module, builtinModules, createRequire, findSourceMap, isBuiltin, register, syncBuiltinESMExports, wrap };
