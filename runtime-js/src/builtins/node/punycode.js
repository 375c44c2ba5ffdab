import punycode, { decode, encode, toASCII, toUnicode, ucs2decode, ucs2encode } from '../../../node_modules/punycode/punycode.es6.js';

export const { ucs2, version } = punycode;
export { decode, encode, toASCII, toUnicode, ucs2decode, ucs2encode };
export default { version, ucs2, decode, encode, toASCII, toUnicode };
