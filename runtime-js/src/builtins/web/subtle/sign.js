import { constants, createHmac, sign as nodeSign, timingSafeEqual, verify as nodeVerify } from 'node:crypto';
import { keyObjectOf } from 'lmthing:internal/web/crypto';
import { asBytes } from '../../shared/bytes.js';
import { failure, nodeHash, operation, ownBuffer } from './arguments.js';

/** Arguments of Node's `sign` and `verify`: the hash, and the key with padding options. */
function settingsOf(algorithm, key) {
  const object = keyObjectOf(key);
  const { name } = algorithm;
  if (name === 'ECDSA') return [nodeHash(algorithm.hash), { key: object, dsaEncoding: 'ieee-p1363' }];
  if (name === 'Ed25519') return [undefined, { key: object }];
  const hash = nodeHash(key.algorithm.hash);
  if (name !== 'RSA-PSS') return [hash, { key: object, padding: constants.RSA_PKCS1_PADDING }];
  return [hash, { key: object, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltLength }];
}

const codeOf = (key, data) => asBytes(createHmac(nodeHash(key.algorithm.hash), keyObjectOf(key)).update(data).digest());

function checkUse(usage, algorithm, key) {
  if (key.algorithm.name === algorithm.name && key.usages.includes(usage)) return;
  throw failure(`Unable to use this key to ${usage}`, 'InvalidAccessError');
}

export function signData(algorithm, key, data) {
  checkUse('sign', algorithm, key);
  if (algorithm.name === 'HMAC') return ownBuffer(codeOf(key, data));
  const [hash, settings] = settingsOf(algorithm, key);
  return ownBuffer(asBytes(operation(() => nodeSign(hash, data, settings))));
}

export function verifyData(algorithm, key, signature, data) {
  checkUse('verify', algorithm, key);
  if (algorithm.name === 'HMAC') {
    const code = codeOf(key, data);
    return code.length === signature.length && timingSafeEqual(code, signature);
  }
  const [hash, settings] = settingsOf(algorithm, key);
  return operation(() => nodeVerify(hash, data, settings, signature));
}
