// `node:util/types`: type tests by internal slots, which scripts cannot fake.
import { proxyDetails } from 'lmthing:internal/native/inspect';
import { importBuiltin } from 'lmthing:internal/native/modules';

/** A test that calls `method`, which throws unless the value has the internal slot. */
const slot = (method) => (value) => {
  if (value === null || typeof value !== 'object') return false;
  try {
    method.call(value);
    return true;
  } catch {
    return false;
  }
};
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const typedArrayTag = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const typedArray = (name) => (value) => typedArrayTag.call(value) === name;

export const isArrayBuffer = slot(getter(ArrayBuffer.prototype, 'byteLength'));
export const isSharedArrayBuffer =
  typeof SharedArrayBuffer === 'function' ? slot(getter(SharedArrayBuffer.prototype, 'byteLength')) : () => false;
export const isAnyArrayBuffer = (value) => isArrayBuffer(value) || isSharedArrayBuffer(value);
export const isArrayBufferView = (value) => ArrayBuffer.isView(value);
export const isArgumentsObject = (value) =>
  tag(value) === 'Arguments' && !Object.prototype.hasOwnProperty.call(value, Symbol.toStringTag);
export const isAsyncFunction = (value) => typeof value === 'function' && /^Async/.test(tag(value));
export const isGeneratorFunction = (value) => typeof value === 'function' && /GeneratorFunction$/.test(tag(value));
export const isBigIntObject = slot(BigInt.prototype.valueOf);
export const isBooleanObject = slot(Boolean.prototype.valueOf);
export const isNumberObject = slot(Number.prototype.valueOf);
export const isStringObject = slot(String.prototype.valueOf);
export const isSymbolObject = slot(Symbol.prototype.valueOf);
export const isBoxedPrimitive = (value) =>
  isNumberObject(value) || isStringObject(value) || isBooleanObject(value) || isBigIntObject(value) || isSymbolObject(value);
export const isDataView = slot(getter(DataView.prototype, 'byteLength'));
export const isDate = slot(Date.prototype.getTime);
export const isExternal = () => false;
export const isCryptoKey = () => false;
export const isKeyObject = (value) => Object.prototype.toString.call(value) === '[object KeyObject]' && value instanceof importBuiltin('node:crypto').KeyObject;
export const isGeneratorObject = (value) => typeof value === 'object' && tag(value) === 'Generator';
export const isMap = slot(getter(Map.prototype, 'size'));
export const isSet = slot(getter(Set.prototype, 'size'));
export const isMapIterator = (value) => typeof value === 'object' && tag(value) === 'Map Iterator';
export const isSetIterator = (value) => typeof value === 'object' && tag(value) === 'Set Iterator';
export const isModuleNamespaceObject = (value) => typeof value === 'object' && tag(value) === 'Module';
export const isNativeError = (value) => Error.isError?.(value) ?? value instanceof Error;
export const isPromise = (value) => value instanceof Promise;
export const isProxy = (value) => proxyDetails(value) !== undefined;
export const isRegExp = (value) => value instanceof RegExp && slot(getter(RegExp.prototype, 'source'))(value) && value !== RegExp.prototype;
export const isTypedArray = (value) => typedArrayTag.call(value) !== undefined;
export const isWeakMap = slot(function () {
  WeakMap.prototype.has.call(this, {});
});
export const isWeakSet = slot(function () {
  WeakSet.prototype.has.call(this, {});
});
export const isBigInt64Array = typedArray('BigInt64Array');
export const isBigUint64Array = typedArray('BigUint64Array');
export const isFloat32Array = typedArray('Float32Array');
export const isFloat64Array = typedArray('Float64Array');
export const isInt16Array = typedArray('Int16Array');
export const isInt32Array = typedArray('Int32Array');
export const isInt8Array = typedArray('Int8Array');
export const isUint16Array = typedArray('Uint16Array');
export const isUint32Array = typedArray('Uint32Array');
export const isUint8Array = typedArray('Uint8Array');
export const isUint8ClampedArray = typedArray('Uint8ClampedArray');

export default { isAnyArrayBuffer, isArgumentsObject, isArrayBuffer, isArrayBufferView, isAsyncFunction, isBigInt64Array, isBigIntObject, isBigUint64Array, isBooleanObject, isBoxedPrimitive, isCryptoKey, isDataView, isDate, isExternal, isFloat32Array, isFloat64Array, isGeneratorFunction, isGeneratorObject, isInt16Array, isInt32Array, isInt8Array, isKeyObject, isMap, isMapIterator, isModuleNamespaceObject, isNativeError, isNumberObject, isPromise, isProxy, isRegExp, isSet, isSetIterator, isSharedArrayBuffer, isStringObject, isSymbolObject, isTypedArray, isUint16Array, isUint32Array, isUint8Array, isUint8ClampedArray, isWeakMap, isWeakSet };
