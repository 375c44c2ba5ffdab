import { Buffer } from 'node:buffer';
import { nodeError } from '../shared/errors.js';

// Characters left as they are: A-Z a-z 0-9 ! ' ( ) * - . _ ~
const escapeByte = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Like `encodeURIComponent`, with Node's error for a lone surrogate. */
export function escape(value) {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? String(value) : `${value}`;
  if (!text.isWellFormed()) throw nodeError(URIError, 'ERR_INVALID_URI', 'URI malformed');
  return encodeURIComponent(text).replace(/[\x00-\x1f]/g, escapeByte);
}

export function unescapeBuffer(text) {
  const bytes = Buffer.from(text, 'latin1');
  const result = [];
  for (let index = 0; index < bytes.length; index++) {
    const pair = text.slice(index + 1, index + 3);
    if (bytes[index] === 0x25 && /^[0-9a-f]{2}$/i.test(pair)) {
      result.push(parseInt(pair, 16));
      index += 2;
    } else {
      result.push(bytes[index]);
    }
  }
  return Buffer.from(result);
}

export function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text).toString();
  }
}

function primitive(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (typeof value === 'bigint' || typeof value === 'boolean') return `${value}`;
  return '';
}

export function stringify(object, separator = '&', equals = '=', options = {}) {
  if (object === null || typeof object !== 'object') return '';
  const encode = options?.encodeURIComponent ?? querystring.escape;
  return Object.keys(object)
    .flatMap((key) => {
      const name = encode(primitive(key)) + (equals || '=');
      const value = object[key];
      return Array.isArray(value) ? value.map((item) => name + encode(primitive(item))) : [name + encode(primitive(value))];
    })
    .join(separator || '&');
}

export function parse(text, separator = '&', equals = '=', options = {}) {
  const result = Object.create(null);
  if (typeof text !== 'string' || text === '') return result;
  const decode = options?.decodeURIComponent ?? querystring.unescape;
  const decodeSafely = (part) => {
    const spaced = part.replaceAll('+', ' ');
    try {
      return decode(spaced);
    } catch {
      return unescape(spaced);
    }
  };
  const maxKeys = options?.maxKeys ?? 1000;
  const parts = text.split(separator || '&').filter((part) => part !== '');
  for (const part of maxKeys > 0 ? parts.slice(0, maxKeys) : parts) {
    const index = part.indexOf(equals || '=');
    const name = decodeSafely(index < 0 ? part : part.slice(0, index));
    const value = index < 0 ? '' : decodeSafely(part.slice(index + (equals || '=').length));
    if (!(name in result)) result[name] = value;
    else if (Array.isArray(result[name])) result[name].push(value);
    else result[name] = [result[name], value];
  }
  return result;
}

export { parse as decode, stringify as encode };
const querystring = { decode: parse, encode: stringify, escape, parse, stringify, unescape, unescapeBuffer };
export default querystring;
