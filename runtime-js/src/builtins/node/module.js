// `node:module`: what packages use to `require` from ES modules and to know built-in modules by name.

import { createRequire, Module } from 'lmthing:internal/commonjs';
import { builtinName, builtinNames } from 'lmthing:internal/native/commonjs';

/** Whether `name` is a module that needs no file. */
const isBuiltin = (name) => typeof name === 'string' && builtinName(name) !== undefined;
// Without `node:`, as Node lists them.
const builtinModules = [...new Set(builtinNames().filter((name) => !/^(node:|lmthing|zod)/.test(name)))].sort();

/** What stands around the text of a CommonJS module. */
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
