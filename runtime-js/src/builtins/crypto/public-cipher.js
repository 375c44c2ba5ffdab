// RSA encryption: `publicEncrypt`, `privateDecrypt`, `privateEncrypt`, `publicDecrypt`.
import { nodeError } from '../shared/errors.js';
import { bytesOf, encoded } from './arguments.js';
import { constants } from './constants.js';
import { invalidDigest, opensslError } from './errors.js';
import { contentOf, optionsOf, privateKeyOf, publicKeyOf, rsaKeyOf } from './keys.js';
import { hashName } from './names.js';
import { checkMasked } from './rsa-padding.js';

const { RSA_NO_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_PKCS1_PADDING } = constants;

function paddingOf(options, usual) {
  const { padding = usual, oaepHash = 'sha1', oaepLabel, encoding } = options;
  if (padding === RSA_PKCS1_PADDING) return ['pkcs1', '', undefined, undefined];
  if (padding === RSA_NO_PADDING) return ['none', '', undefined, undefined];
  if (padding !== RSA_PKCS1_OAEP_PADDING) throw opensslError('RSA_INVALID_PADDING');
  const hash = hashName(oaepHash);
  if (!hash) throw invalidDigest(oaepHash);
  checkMasked(hash, 'OAEP');
  return ['oaep', hash, undefined, oaepLabel === undefined ? undefined : bytesOf(oaepLabel, 'key.oaepLabel', encoding)];
}

function rsaOnly(key) {
  if (contentOf(key).type !== 'rsa') throw opensslError('EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE');
  return key;
}

const given = (buffer, options) => bytesOf(buffer, 'buffer', options.encoding);

export function publicEncrypt(key, buffer) {
  const options = optionsOf(key);
  const object = rsaOnly(publicKeyOf(key));
  const padding = paddingOf(options, RSA_PKCS1_OAEP_PADDING);
  const encrypted = rsaKeyOf(object).encrypt(padding, given(buffer, options));
  if (!encrypted) throw opensslError('RSA_DATA_TOO_LARGE_FOR_KEY_SIZE');
  return encoded(encrypted);
}

export function privateDecrypt(key, buffer) {
  const options = optionsOf(key);
  const object = rsaOnly(privateKeyOf(key));
  const padding = paddingOf(options, RSA_PKCS1_OAEP_PADDING);
  if (padding[0] === 'pkcs1') {
    const message = 'RSA_PKCS1_PADDING is no longer supported for private decryption, this can be reverted with --security-revert=CVE-2023-46809';
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
  }
  const native = rsaKeyOf(object);
  const bytes = given(buffer, options);
  const decrypted = padding[0] === 'none' ? native.sign(padding, bytes) : native.decrypt(padding, bytes);
  if (!decrypted) throw opensslError('RSA_OAEP_DECODING_ERROR');
  return encoded(decrypted);
}

export function privateEncrypt(key, buffer) {
  const options = optionsOf(key);
  const object = rsaOnly(privateKeyOf(key));
  const encrypted = rsaKeyOf(object).sign(paddingOf(options, RSA_PKCS1_PADDING), given(buffer, options));
  if (!encrypted) throw opensslError('RSA_DATA_TOO_LARGE_FOR_KEY_SIZE');
  return encoded(encrypted);
}

/** Removes the signature padding of PKCS #1: `00 01 ff … ff 00`. */
function unpadded(bytes) {
  let at = 2;
  while (bytes[at] === 0xff) at++;
  const isPadded = bytes[0] === 0 && bytes[1] === 1 && at >= 10 && bytes[at] === 0;
  if (!isPadded) throw opensslError('RSA_INVALID_PADDING');
  return bytes.subarray(at + 1);
}

export function publicDecrypt(key, buffer) {
  const options = optionsOf(key);
  const object = rsaOnly(publicKeyOf(key));
  const [padding] = paddingOf(options, RSA_PKCS1_PADDING);
  const raised = rsaKeyOf(object).encrypt(['none', '', undefined, undefined], given(buffer, options));
  if (!raised) throw opensslError('RSA_DATA_TOO_SMALL_FOR_KEY_SIZE');
  return encoded(padding === 'none' ? raised : unpadded(raised));
}
