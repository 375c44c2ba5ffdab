import { createHash } from 'lmthing:internal/native/crypto';

/** `undefined` for an unknown hash name (`sha256`, `md5`, …). */
export function digest(name, bytes) {
  const hash = createHash(name);
  hash?.update(bytes);
  return hash?.digest();
}
