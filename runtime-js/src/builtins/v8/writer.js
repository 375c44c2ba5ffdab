// Values to bytes in V8's format, version 15.
import * as types from 'node:util/types';
import { ERROR, ERROR_TYPES, FLAGS, HEADER, TAG, VERSION, VIEWS } from './format.js';

function uncloneable(value) {
  const text = typeof value === 'function' || typeof value === 'symbol' ? String(value) : `#<${value.constructor?.name ?? 'Object'}>`;
  return new Error(`${text} could not be cloned.`);
}

export class Writer {
  #bytes = [];
  #seen = new Map();

  writeHeader() {
    this.#bytes.push(HEADER, VERSION);
  }

  writeUint32(value) {
    let rest = value >>> 0;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes.push((rest & 0x7f) | 0x80);
    this.#bytes.push(rest);
  }

  writeUint64(high, low) {
    let rest = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes.push(Number(rest & 0x7fn) | 0x80);
    this.#bytes.push(Number(rest));
  }

  writeDouble(value) {
    this.writeRawBytes(new Uint8Array(new Float64Array([value]).buffer));
  }

  writeRawBytes(source) {
    const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
    for (const byte of bytes) this.#bytes.push(byte);
  }

  releaseBuffer() {
    const bytes = this.#bytes;
    this.#bytes = [];
    return globalThis.Buffer.from(bytes);
  }

  #string(text) {
    if (!/[^\x00-\xff]/.test(text)) {
      this.#bytes.push(TAG.latin1);
      this.writeUint32(text.length);
      for (let index = 0; index < text.length; index++) this.#bytes.push(text.charCodeAt(index));
      return;
    }
    const size = text.length * 2;
    const sizeBytes = Math.max(1, Math.ceil(size.toString(2).length / 7));
    // The characters begin at an even place.
    if ((this.#bytes.length + 1 + sizeBytes) % 2 === 1) this.#bytes.push(TAG.padding);
    this.#bytes.push(TAG.utf16);
    this.writeUint32(size);
    for (let index = 0; index < text.length; index++) this.#bytes.push(text.charCodeAt(index) & 0xff, text.charCodeAt(index) >> 8);
  }

  #bigint(value) {
    const digits = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 64n) digits.push(rest & 0xffffffffffffffffn);
    this.writeUint32((digits.length * 8 * 2) | (value < 0n ? 1 : 0));
    this.writeRawBytes(new BigUint64Array(digits));
  }

  #number(value) {
    if (Number.isInteger(value) && value === (value | 0) && !Object.is(value, -0)) {
      this.#bytes.push(TAG.integer);
      return this.writeUint32((value << 1) ^ (value >> 31));
    }
    this.#bytes.push(TAG.double);
    return this.writeDouble(value);
  }

  writeValue(value) {
    switch (typeof value) {
      case 'undefined':
      case 'boolean':
        return void this.#bytes.push(TAG[String(value)]);
      case 'number':
        return this.#number(value);
      case 'bigint':
        this.#bytes.push(TAG.bigint);
        return this.#bigint(value);
      case 'string':
        return this.#string(value);
      case 'object':
        return value === null ? void this.#bytes.push(TAG.null) : this.#object(value);
      default:
        throw uncloneable(value);
    }
  }

  #object(value) {
    if (this.#seen.has(value)) {
      this.#bytes.push(TAG.reference);
      return this.writeUint32(this.#seen.get(value));
    }
    this.#seen.set(value, this.#seen.size);
    if (ArrayBuffer.isView(value)) return this.#view(value);
    if (types.isProxy(value) || types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value)) throw uncloneable(value);
    if (Array.isArray(value)) return this.#array(value);
    return this.#builtin(value) ?? this.#plain(value);
  }

  #plain(value) {
    this.#bytes.push(TAG.object);
    const count = this.#members(value, Object.keys(value));
    this.#bytes.push(TAG.endObject);
    this.writeUint32(count);
  }

  #members(value, keys) {
    for (const key of keys) {
      const index = Number(key);
      this.writeValue(String(index >>> 0) === key && index < 2 ** 31 ? index : key);
      this.writeValue(value[key]);
    }
    return keys.length;
  }

  #array(value) {
    const isIndex = (key) => /^\d+$/.test(key);
    const keys = Object.keys(value);
    // With holes, V8 writes the elements as members.
    const isSparse = keys.filter(isIndex).length < value.length;
    this.#bytes.push(isSparse ? TAG.sparse : TAG.dense);
    this.writeUint32(value.length);
    if (!isSparse) for (const item of value) this.writeValue(item);
    const count = this.#members(value, isSparse ? keys : keys.filter((key) => !isIndex(key)));
    this.#bytes.push(isSparse ? TAG.endSparse : TAG.endDense);
    this.writeUint32(count);
    this.writeUint32(value.length);
  }

  #view(value) {
    const views = VIEWS();
    const isBuffer = globalThis.Buffer.isBuffer(value);
    const index = isBuffer ? views.indexOf(globalThis.Buffer) : views.findIndex((View) => value instanceof View);
    this.#bytes.push(TAG.host);
    this.writeUint32(index);
    this.writeUint32(value.byteLength);
    this.writeRawBytes(value);
  }

  /** `true` when it was one of the built-in kinds. */
  #builtin(value) {
    if (types.isDate(value)) {
      this.#bytes.push(TAG.date);
      this.writeDouble(value.getTime());
    } else if (types.isRegExp(value)) {
      this.#bytes.push(TAG.regexp);
      this.#string(value.source);
      this.writeUint32([...value.flags].reduce((sum, flag) => sum | FLAGS[flag], 0));
    } else if (types.isMap(value)) {
      this.#bytes.push(TAG.map);
      for (const pair of [...value]) for (const item of pair) this.writeValue(item);
      this.#bytes.push(TAG.endMap);
      this.writeUint32(value.size * 2);
    } else if (types.isSet(value)) {
      this.#bytes.push(TAG.set);
      for (const item of [...value]) this.writeValue(item);
      this.#bytes.push(TAG.endSet);
      this.writeUint32(value.size);
    } else if (types.isArrayBuffer(value)) {
      this.#bytes.push(TAG.buffer);
      this.writeUint32(value.byteLength);
      this.writeRawBytes(value);
    } else if (types.isNativeError(value)) this.#error(value);
    else if (types.isBoxedPrimitive(value)) this.#boxed(value.valueOf(), value);
    else return undefined;
    return true;
  }

  #boxed(primitive, box) {
    if (typeof primitive === 'symbol') throw uncloneable(box);
    if (typeof primitive === 'boolean') return void this.#bytes.push(TAG[`${primitive}Object`]);
    this.#bytes.push(TAG[`${typeof primitive}Object`]);
    if (typeof primitive === 'number') return this.writeDouble(primitive);
    return typeof primitive === 'bigint' ? this.#bigint(primitive) : this.#string(primitive);
  }

  #error(value) {
    this.#bytes.push(TAG.error);
    const type = Object.keys(ERROR_TYPES).find((key) => ERROR_TYPES[key].name === value.name);
    if (type) this.#bytes.push(type.charCodeAt(0));
    if (Object.hasOwn(value, 'message')) {
      this.#bytes.push(ERROR.message);
      this.#string(String(value.message));
    }
    if (Object.hasOwn(value, 'cause')) {
      this.#bytes.push(ERROR.cause);
      this.writeValue(value.cause);
    }
    this.#bytes.push(ERROR.stack);
    this.#string(String(value.stack));
    this.#bytes.push(ERROR.end);
  }
}
