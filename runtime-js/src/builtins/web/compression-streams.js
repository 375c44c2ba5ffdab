import { open } from 'lmthing:internal/native/compression';
import { TransformStream } from 'lmthing:internal/web/streams';
import { asBytes } from '../shared/bytes.js';
import { brand } from '../shared/brand.js';
import { nodeError } from '../shared/errors.js';

const [NO_FLUSH, FINISH] = [0, 4];
const DEFAULT_LEVEL = -1;
const WINDOW_BITS = 15;

function transform(mode) {
  const codec = open(mode, DEFAULT_LEVEL, WINDOW_BITS, undefined);
  const run = (bytes, flush, controller) => {
    const { code, number, message, value } = codec.process(bytes, flush);
    if (code) throw Object.assign(new Error(message), { code, errno: number });
    if (value.byteLength > 0) controller.enqueue(value);
  };
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = asBytes(chunk);
      if (!bytes) {
        const message = `The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${typeof chunk}`;
        throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message);
      }
      run(bytes, NO_FLUSH, controller);
    },
    flush: (controller) => run(new Uint8Array(0), FINISH, controller),
  });
}

function modeOf(format, modes) {
  if (Object.hasOwn(modes, format)) return modes[format];
  const shown = typeof format === 'string' ? `'${format}'` : String(format);
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'format' is invalid. Received ${shown}`);
}

class Conversion {
  #transform;

  constructor(mode) {
    this.#transform = transform(mode);
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}

export class CompressionStream extends Conversion {
  constructor(format) {
    super(modeOf(format, { deflate: 'deflate', 'deflate-raw': 'deflateRaw', gzip: 'gzip' }));
  }
}
brand(CompressionStream, 'CompressionStream');

export class DecompressionStream extends Conversion {
  constructor(format) {
    super(modeOf(format, { deflate: 'inflate', 'deflate-raw': 'inflateRaw', gzip: 'gunzip' }));
  }
}
brand(DecompressionStream, 'DecompressionStream');
