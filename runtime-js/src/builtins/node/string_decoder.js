// `node:string_decoder`: the npm package taken from Node's own source, and `base64url`.
import { StringDecoder as BaseDecoder } from 'string_decoder';
import { brand } from '../shared/brand.js';

const toUrlAlphabet = (text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export function StringDecoder(encoding) {
  if (!new.target && !(this instanceof StringDecoder)) return new StringDecoder(encoding);
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
// The package knows `Buffer` alone; Node takes every view.
for (const name of ['write', 'end']) {
  const method = BaseDecoder.prototype[name];
  StringDecoder.prototype[name] = function (bytes) {
    const isView = ArrayBuffer.isView(bytes) && !globalThis.Buffer.isBuffer(bytes);
    return method.call(this, isView ? globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes);
  };
}

brand(StringDecoder, 'StringDecoder', false);

export default { StringDecoder };
