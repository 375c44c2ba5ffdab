// Validity checks of header and method names, with Node's errors.
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const BAD_CONTENT = /[^\t\x20-\x7e\x80-\xff]/;

export const isToken = (text) => TOKEN.test(text);
export const hasBadContent = (text) => BAD_CONTENT.test(text);

export function validateHeaderName(name, label = 'Header name') {
  if (typeof name !== 'string' || !isToken(name)) throw nodeError(TypeError, 'ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${name}"]`);
}

export function validateHeaderValue(name, value) {
  if (value === undefined) throw nodeError(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
  if (hasBadContent(String(value))) throw nodeError(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
}

export function checkHeader(name, value) {
  validateHeaderName(name);
  for (const item of Array.isArray(value) ? value : [value]) validateHeaderValue(name, item);
}

export function alreadySent(action) {
  return nodeError(Error, 'ERR_HTTP_HEADERS_SENT', `Cannot ${action} headers after they are sent to the client`);
}

export { invalidArgumentType };
