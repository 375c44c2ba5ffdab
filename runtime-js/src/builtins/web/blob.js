// `Blob` and `File`.
import { decodeUtf8, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { asBytes, concatenate } from '../shared/bytes.js';
import { inspectOwn } from '../shared/inspect-own.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const STREAM_PART_SIZE = 65536;

/** An `ArrayBuffer` of exactly these bytes. */
const bufferOf = (bytes) =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

export class Blob {
  #bytes;
  #type;

  constructor(sources = [], options = {}) {
    if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function') {
      throw invalidArgumentType('sources', 'a sequence', sources);
    }
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') {
      throw invalidArgumentType('options', 'a dictionary', options);
    }
    const toNative = options?.endings === 'native';
    const parts = Array.from(sources, (source) => {
      if (source instanceof Blob) return source.#bytes;
      const bytes = asBytes(source);
      if (bytes) return bytes.slice();
      const text = `${source}`.toWellFormed();
      return encodeUtf8(toNative ? text.replaceAll(/\r\n|\r/g, '\n') : text);
    });
    this.#bytes = concatenate(parts);
    const type = `${options?.type ?? ''}`;
    this.#type = /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase();
  }

  get size() {
    return this.#bytes.byteLength;
  }

  get type() {
    return this.#type;
  }

  slice(start = 0, end = this.size, type = '') {
    const blob = new Blob([], { type });
    blob.#bytes = this.#bytes.slice(start, end);
    return blob;
  }

  async arrayBuffer() {
    return bufferOf(this.#bytes.slice());
  }

  async bytes() {
    return this.#bytes.slice();
  }

  async text() {
    const text = decodeUtf8(this.#bytes);
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  stream() {
    const bytes = this.#bytes;
    let offset = 0;
    // Accessed as a global, which is loaded lazily: most blobs never need streams.
    return new globalThis.ReadableStream({
      type: 'bytes',
      pull(controller) {
        if (offset < bytes.byteLength) {
          controller.enqueue(bytes.slice(offset, (offset += STREAM_PART_SIZE)));
          return;
        }
        controller.close();
        controller.byobRequest?.respond(0);
      },
    });
  }

  /** For internal modules: the bytes themselves, which must not be changed. */
  static bytesOf(blob) {
    return blob.#bytes;
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, ['size', 'type'], depth, options, inspect);
  }
}
brand(Blob, 'Blob');

export const { bytesOf } = Blob;
delete Blob.bytesOf;

export class File extends Blob {
  #name;
  #lastModified;

  constructor(sources, name, options = {}) {
    if (arguments.length < 2) {
      throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "fileBits" and "fileName" arguments must be specified');
    }
    super(sources, options);
    this.#name = `${name}`.toWellFormed();
    this.#lastModified = options?.lastModified === undefined ? Date.now() : Math.trunc(Number(options.lastModified)) || 0;
  }

  get name() {
    return this.#name;
  }

  get lastModified() {
    return this.#lastModified;
  }

  get webkitRelativePath() {
    return '';
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, ['size', 'type', 'name', 'lastModified'], depth, options, inspect);
  }
}
brand(File, 'File');
