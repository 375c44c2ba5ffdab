// Deserializes V8's format, version 15.
import { nodeError } from '../shared/errors.js';
import { ERROR, ERROR_TYPES, FLAGS, HEADER, TAG, VERSION, VIEWS } from './format.js';

const broken = () => new Error('Unable to deserialize cloned data.');
const NAMES = new Map(Object.entries(TAG).map(([name, tag]) => [tag, name]));

export class Reader {
  #bytes;
  #at = 0;
  #objects = [];

  constructor(source) {
    if (!ArrayBuffer.isView(source)) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'buffer must be a TypedArray or a DataView');
    this.#bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }

  readHeader() {
    if (this.#bytes.length === 0 || this.#byte() !== HEADER || this.readUint32() > VERSION) throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
    return true;
  }

  #byte() {
    if (this.#at >= this.#bytes.length) throw broken();
    return this.#bytes[this.#at++];
  }

  #varint() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  readUint32() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      if (factor <= 2 ** 28) value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value >>> 0;
    }
  }

  readUint64() {
    const value = this.#varint();
    return [Number(value >> 32n), Number(value & 0xffffffffn)];
  }

  readRawBytes(length) {
    if (this.#at + length > this.#bytes.length) throw broken();
    return globalThis.Buffer.from(this.#bytes.slice(this.#at, (this.#at += length)));
  }

  readDouble() {
    return this.readRawBytes(8).readDoubleLE(0);
  }

  #bigint() {
    const field = this.readUint32();
    const digits = this.readRawBytes(field >>> 1);
    const value = digits.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return field & 1 ? -value : value;
  }

  #add(object) {
    this.#objects.push(object);
    return object;
  }

  #tag() {
    let tag = this.#byte();
    while (tag === TAG.padding) tag = this.#byte();
    return tag;
  }

  readValue() {
    const kind = NAMES.get(this.#tag());
    const read = kind && READERS[kind];
    if (!read) throw broken();
    return read.call(this);
  }

  /** Reads with `each` until `end`. */
  #until(end, each) {
    for (;;) {
      const start = this.#at;
      if (this.#tag() === end) return;
      this.#at = start;
      each();
    }
  }

  #members(object, end) {
    this.#until(end, () => {
      const key = this.readValue();
      Object.defineProperty(object, key, { value: this.readValue(), writable: true, enumerable: true, configurable: true });
    });
    this.readUint32();
    return object;
  }

  static readers = {
    undefined: () => undefined,
    null: () => null,
    true: () => true,
    false: () => false,
    integer() {
      const value = this.readUint32();
      return (value >>> 1) ^ -(value & 1);
    },
    double() {
      return this.readDouble();
    },
    bigint() {
      return this.#bigint();
    },
    latin1() {
      return this.readRawBytes(this.readUint32()).toString('latin1');
    },
    utf16() {
      return this.readRawBytes(this.readUint32()).toString('utf16le');
    },
    reference() {
      const place = this.readUint32();
      if (place >= this.#objects.length) throw broken();
      return this.#objects[place];
    },
    object() {
      return this.#members(this.#add({}), TAG.endObject);
    },
    dense() {
      const length = this.readUint32();
      const array = this.#add(new Array(length));
      for (let index = 0; index < length; index++) {
        if (this.#bytes[this.#at] === TAG.hole) this.#at++;
        else array[index] = this.readValue();
      }
      this.#members(array, TAG.endDense);
      this.readUint32();
      return array;
    },
    sparse() {
      const array = this.#members(this.#add(new Array(this.readUint32())), TAG.endSparse);
      this.readUint32();
      return array;
    },
    date() {
      return this.#add(new Date(this.readDouble()));
    },
    trueObject() {
      return this.#add(Object(true));
    },
    falseObject() {
      return this.#add(Object(false));
    },
    numberObject() {
      return this.#add(Object(this.readDouble()));
    },
    bigintObject() {
      return this.#add(Object(this.#bigint()));
    },
    stringObject() {
      return this.#add(Object(this.readValue()));
    },
    regexp() {
      const place = this.#objects.push(undefined) - 1;
      const source = this.readValue();
      const bits = this.readUint32();
      const flags = Object.keys(FLAGS).filter((flag) => bits & FLAGS[flag]);
      return (this.#objects[place] = new RegExp(source, flags.join('')));
    },
    map() {
      const map = this.#add(new Map());
      this.#until(TAG.endMap, () => map.set(this.readValue(), this.readValue()));
      this.readUint32();
      return map;
    },
    set() {
      const set = this.#add(new Set());
      this.#until(TAG.endSet, () => set.add(this.readValue()));
      this.readUint32();
      return set;
    },
    buffer() {
      const bytes = this.readRawBytes(this.readUint32());
      return this.#add(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    },
    host() {
      const place = this.#objects.push(undefined) - 1;
      const View = VIEWS()[this.readUint32()];
      const size = this.readUint32();
      if (this.#at + size > this.#bytes.length) throw new Error('ReadRawBytes() failed');
      const bytes = this.readRawBytes(size);
      if (View === globalThis.Buffer) return (this.#objects[place] = bytes);
      const memory = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
      return (this.#objects[place] = new View(memory));
    },
    error() {
      const place = this.#objects.push(undefined) - 1;
      const members = {};
      let Type = Error;
      for (let tag = this.#byte(); tag !== ERROR.end; tag = this.#byte()) {
        const name = Object.keys(ERROR).find((key) => ERROR[key] === tag);
        if (name) members[name] = this.readValue();
        else Type = ERROR_TYPES[String.fromCharCode(tag)] ?? Error;
      }
      const error = new Type();
      for (const [name, value] of Object.entries(members)) Object.defineProperty(error, name, { value, writable: true, configurable: true });
      return (this.#objects[place] = error);
    },
  };
}
const READERS = Reader.readers;
delete Reader.readers;
