// Hash functions in Rust, as `node:crypto` and `crypto.subtle` use them.
import { createHash } from 'lmthing:internal/native/crypto';

/** The digest of `bytes`, or `undefined` when there is no hash of that name (`sha256`, `md5`, …). */
export function digest(name, bytes) {
  const hash = createHash(name);
  hash?.update(bytes);
  return hash?.digest();
}
