// `blob:` URLs of `URL.createObjectURL`.
import { Blob } from 'lmthing:internal/web/blob';
import { invalidArgumentType } from '../shared/errors.js';

const PREFIX = 'blob:nodedata:';
const blobs = new Map();

export function createObjectURL(blob) {
  if (!(blob instanceof Blob)) throw invalidArgumentType('obj', 'an instance of Blob', blob);
  const id = crypto.randomUUID();
  blobs.set(id, blob);
  return `${PREFIX}${id}`;
}

export function revokeObjectURL(url) {
  blobs.delete(`${url}`.slice(PREFIX.length));
}

export const resolveObjectURL = (url) => (`${url}`.startsWith(PREFIX) ? blobs.get(`${url}`.slice(PREFIX.length)) : undefined);
