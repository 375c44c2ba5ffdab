// Built-in functions saved at load time, as a script may patch its globals.
import { importBuiltin } from 'lmthing:internal/native/modules';

/** The key that marks values that JSON cannot express. */
export const MARK = '~';

/** Maximal nesting depth, so that a text can be read with any stack size. */
export const MAX_DEPTH = 2_000;

export const uncurried = Function.prototype.bind.bind(Function.prototype.call);
const getterOf = (prototype, name) => uncurried(Object.getOwnPropertyDescriptor(prototype, name).get);

export const { create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, isExtensible, keys, setPrototypeOf } = Object;
export const { deleteProperty, ownKeys } = Reflect;
export const { isArray } = Array;
export const { isView } = ArrayBuffer;
export const { parse, stringify } = JSON;
export const hasOwn = uncurried(Object.prototype.hasOwnProperty);
export const lookUpGetter = uncurried(Object.prototype.__lookupGetter__);
export const includes = uncurried(String.prototype.includes);
export const slice = uncurried(String.prototype.slice);
export const sliceOfArray = uncurried(Array.prototype.slice);
export const textOfFunction = uncurried(Function.prototype.toString);
export const MapType = Map;
export const SetType = Set;
export const DateType = Date;
export const RegExpType = RegExp;
export const toBigInt = BigInt;
export const toObject = Object;
export const ObjectPrototype = Object.prototype;
export const ArrayPrototype = Array.prototype;

export const mapGet = uncurried(Map.prototype.get);
export const mapSet = uncurried(Map.prototype.set);
export const mapHas = uncurried(Map.prototype.has);
export const mapClear = uncurried(Map.prototype.clear);
export const mapForEach = uncurried(Map.prototype.forEach);
export const setAdd = uncurried(Set.prototype.add);
export const setHas = uncurried(Set.prototype.has);
export const setClear = uncurried(Set.prototype.clear);
export const setForEach = uncurried(Set.prototype.forEach);

export const timeOf = uncurried(Date.prototype.getTime);
export const setTime = uncurried(Date.prototype.setTime);
export const sourceOf = getterOf(RegExp.prototype, 'source');
export const flagsOf = getterOf(RegExp.prototype, 'flags');

const TypedArray = Object.getPrototypeOf(Uint8Array);
/** The name of a typed array's class; undefined for a `DataView`. */
export const typeOfView = getterOf(TypedArray.prototype, Symbol.toStringTag);
const inTypedArray = { buffer: getterOf(TypedArray.prototype, 'buffer'), offset: getterOf(TypedArray.prototype, 'byteOffset'), length: getterOf(TypedArray.prototype, 'length') };
const inDataView = { buffer: getterOf(DataView.prototype, 'buffer'), offset: getterOf(DataView.prototype, 'byteOffset'), length: getterOf(DataView.prototype, 'byteLength') };
/** Offset and length of a view. */
export function placeOf(view) {
  const of = typeOfView(view) === undefined ? inDataView : inTypedArray;
  return { buffer: of.buffer(view), offset: of.offset(view), length: of.length(view) };
}
export const lengthOfBuffer = getterOf(ArrayBuffer.prototype, 'byteLength');
export const maxLengthOfBuffer = getterOf(ArrayBuffer.prototype, 'maxByteLength');
export const isResizable = getterOf(ArrayBuffer.prototype, 'resizable');
export const isDetached = getterOf(ArrayBuffer.prototype, 'detached');
export const Bytes = Uint8Array;
export const BufferType = ArrayBuffer;
export const toBase64 = uncurried(Uint8Array.prototype.toBase64);
export const fromBase64 = Uint8Array.fromBase64;
export const setBytes = uncurried(TypedArray.prototype.set);

const named = (types) => new Map(types.map((type) => [type.prototype, type]));
export const VIEWS = named([
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
  BigInt64Array, BigUint64Array, DataView, ...(typeof Float16Array === 'function' ? [Float16Array] : []),
]);
export const ERRORS = named([Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]);
/** Unboxing functions by the prototype of the box. */
export const BOXES = new Map([Boolean, Number, String, BigInt].map((type) => [type.prototype, uncurried(type.prototype.valueOf)]));
export const isError = Error.isError ?? ((value) => value instanceof Error);

/** Node's `Buffer`, loaded only when a value can be nothing else. */
export const nodeBuffer = () => importBuiltin('node:buffer').Buffer;
export const domException = () => importBuiltin('lmthing:internal/web/dom-exception').DOMException;
