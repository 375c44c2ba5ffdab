// `node:module`: what packages use to `require` from ES modules and to know built-in modules by name.

import { createRequire, Module } from 'lmthing:internal/commonjs';
import { builtinName, builtinNames } from 'lmthing:internal/native/commonjs';

/** Whether `name` is a module that needs no file. */
const isBuiltin = (name) => typeof name === 'string' && builtinName(name) !== undefined;
const builtinModules = builtinNames();

/** Source maps are not read. */
const findSourceMap = () => undefined;
const syncBuiltinESMExports = () => {};
const register = () => {
  throw new Error('module.register() is not there: lmthing has no loader hooks');
};

Object.assign(Module, { builtinModules, isBuiltin, findSourceMap, syncBuiltinESMExports, register });

export { Module as default, Module, builtinModules, createRequire, findSourceMap, isBuiltin, register, syncBuiltinESMExports };
