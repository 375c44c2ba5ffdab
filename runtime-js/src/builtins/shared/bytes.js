/** A plain `Uint8Array` on the same memory as `source` (a buffer or a view), or `undefined` for other values. */
export function asBytes(source) {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (typeof SharedArrayBuffer === 'function' && source instanceof SharedArrayBuffer) return new Uint8Array(source);
  return undefined;
}

export function concatenate(parts) {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
