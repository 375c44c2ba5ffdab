// Serializes values in V8's format, version 15.
import * as types from 'node:util/types';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { Output } from './output.js';
import { ERROR, ERROR_TYPES, FLAGS, HEADER, TAG, VERSION, VIEWS } from './format.js';

function uncloneable(value) {
  const isGenerator = types.isGeneratorObject(value);
  const isNamed = typeof value === 'function' || typeof value === 'symbol' || isGenerator;
  const text = isNamed ? String(value) : `#<${value.constructor?.name ?? 'Object'}>`;
  return new Error(`${text} could not be cloned.`);
}

const isUncloneable = (value) =>
  types.isProxy(value) || types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value) || types.isGeneratorObject(value) ||
  types.isSharedArrayBuffer(value) || types.isArgumentsObject(value) || value instanceof WeakRef;

const isBlob = (value) => /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(value)) && value instanceof globalThis.Blob;

export class Writer {
  #bytes = new Output();
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
    this.#bytes.append(bytes);
  }

  releaseBuffer() {
    const { buffer, byteOffset, byteLength } = this.#bytes.take();
    return globalThis.Buffer.from(buffer, byteOffset, byteLength);
  }

  #string(text) {
    if (!/[^\x00-\xff]/.test(text)) {
      this.#bytes.push(TAG.latin1);
      this.writeUint32(text.length);
      this.#bytes.append(globalThis.Buffer.from(text, 'latin1'));
      return;
    }
    const size = text.length * 2;
    const sizeBytes = Math.max(1, Math.ceil(size.toString(2).length / 7));
    // Two-byte characters are aligned to an even offset.
    if ((this.#bytes.length + 1 + sizeBytes) % 2 === 1) this.#bytes.push(TAG.padding);
    this.#bytes.push(TAG.utf16);
    this.writeUint32(size);
    this.#bytes.append(globalThis.Buffer.from(text, 'utf16le'));
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
    if (isUncloneable(value)) throw uncloneable(value);
    if (isBlob(value)) throw new Error(`Unserializable host object: ${importBuiltin('lmthing:internal/inspect').inspect(value)}`);
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
    // V8 writes the elements of arrays with holes as members.
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

  /** Writes a built-in object; returns whether it was one. */
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
