// `TextEncoder` and `TextDecoder`, using `src/script/globals/encoding.rs`.
import { decoder, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { asBytes } from '../shared/bytes.js';
import { inspectOwn } from '../shared/inspect-own.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

export class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(input = '') {
    return encodeUtf8(`${input}`.toWellFormed());
  }

  encodeInto(source, destination) {
    if (typeof source !== 'string') throw invalidArgumentType('src', 'of type string', source);
    if (!(destination instanceof Uint8Array)) {
      throw invalidArgumentType('dest', 'an instance of Uint8Array', destination);
    }
    let read = 0;
    let written = 0;
    for (const character of source.toWellFormed()) {
      const code = character.codePointAt(0);
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (written + size > destination.length) break;
      read += character.length;
      written += size;
    }
    destination.set(encodeUtf8(source.slice(0, read).toWellFormed()));
    return { read, written };
  }

  [inspectCustom](depth, options, inspect) {
    return inspect({ encoding: this.encoding }, options);
  }
}
brand(TextEncoder, 'TextEncoder');

export class TextDecoder {
  #decoder;
  #fatal;
  #ignoreBOM;

  constructor(label = 'utf-8', options = {}) {
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') {
      throw invalidArgumentType('options', 'of type object', options);
    }
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
    this.#decoder = decoder(`${label}`, this.#fatal, this.#ignoreBOM);
    if (this.#decoder === undefined) {
      throw nodeError(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
    }
  }

  get encoding() {
    return this.#decoder.encoding;
  }

  get fatal() {
    return this.#fatal;
  }

  get ignoreBOM() {
    return this.#ignoreBOM;
  }

  decode(input = new Uint8Array(0), options = {}) {
    const bytes = asBytes(input);
    if (bytes === undefined) {
      const expected = 'an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView';
      throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `The "list" argument must be ${expected}.`);
    }
    const text = this.#decoder.decode(bytes, Boolean(options?.stream));
    if (text === undefined) {
      const message = `The encoded data was not valid for encoding ${this.encoding}`;
      throw nodeError(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', message);
    }
    return text;
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, ['encoding', 'fatal', 'ignoreBOM'], depth, options, inspect);
  }
}
brand(TextDecoder, 'TextDecoder');
