// `node:string_decoder`: the npm package extracted from Node, with `base64url`.
import { StringDecoder as BaseDecoder } from 'string_decoder';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const toUrlAlphabet = (text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export function StringDecoder(encoding) {
  if (!new.target && !(this instanceof StringDecoder)) return new StringDecoder(encoding);
  if (encoding && !globalThis.Buffer.isEncoding(encoding)) {
    throw nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  }
  const isUrl = /^base64url$/i.test(encoding ?? '');
  const decoder = new BaseDecoder(isUrl ? 'base64' : encoding);
  Object.setPrototypeOf(decoder, StringDecoder.prototype);
  if (isUrl) {
    decoder.encoding = 'base64url';
    const { write, end } = decoder;
    decoder.write = (bytes) => toUrlAlphabet(write.call(decoder, bytes));
    decoder.end = (bytes) => toUrlAlphabet(end.call(decoder, bytes));
  }
  return decoder;
}
Object.setPrototypeOf(StringDecoder.prototype, BaseDecoder.prototype);
// The package accepts only `Buffer`; Node accepts every view.
for (const name of ['write', 'end']) {
  const method = BaseDecoder.prototype[name];
  StringDecoder.prototype[name] = function (bytes) {
    const isMissing = name === 'end' && bytes === undefined;
    if (!isMissing && typeof bytes !== 'string' && !ArrayBuffer.isView(bytes)) {
      throw invalidArgumentType('buf', 'an instance of Buffer, TypedArray, or DataView', bytes);
    }
    const isView = ArrayBuffer.isView(bytes) && !globalThis.Buffer.isBuffer(bytes);
    const text = method.call(this, isView ? globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes);
    // The package keeps its state after the end.
    if (name === 'end') this.lastNeed = this.lastTotal = 0;
    return text;
  };
}

brand(StringDecoder, 'StringDecoder', false);

export default { StringDecoder };
