// Errors with OpenSSL's messages, as Node reports them.
import { nodeError } from '../shared/errors.js';

const OPENSSL = {
  BAD_DECRYPT: ['1C800064', 'Provider routines', 'bad decrypt'],
  WRONG_FINAL_BLOCK_LENGTH: ['1C80006B', 'Provider routines', 'wrong final block length'],
  INVALID_DIGEST: ['1C80007A', 'Provider routines', 'invalid digest'],
  EVP_NOT_XOF_OR_INVALID_LENGTH: ['030000B2', 'digital envelope routines', 'not XOF or invalid length'],
  EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE: ['03000096', 'digital envelope routines', 'operation not supported for this keytype'],
  EVP_DIFFERENT_KEY_TYPES: ['03000065', 'digital envelope routines', 'different key types'],
  UNSUPPORTED: ['1E08010C', 'DECODER routines', 'unsupported'],
  ASN1_WRONG_TAG: ['068000A8', 'asn1 encoding routines', 'wrong tag'],
  ASN1_NOT_ENOUGH_DATA: ['0680008E', 'asn1 encoding routines', 'not enough data'],
  CRYPTO_INTERRUPTED_OR_CANCELLED: ['07880109', 'common libcrypto routines', 'interrupted or cancelled'],
  RSA_DATA_TOO_LARGE_FOR_KEY_SIZE: ['0200006E', 'rsa routines', 'data too large for key size'],
  RSA_DATA_TOO_SMALL_FOR_KEY_SIZE: ['0200007A', 'rsa routines', 'data too small for key size'],
  RSA_OAEP_DECODING_ERROR: ['02000079', 'rsa routines', 'oaep decoding error'],
  RSA_INVALID_PADDING: ['0200008A', 'rsa routines', 'invalid padding'],
};

/** `error:1C800064:Provider routines::bad decrypt`, with Node's `code`, `library` and `reason`. */
export function opensslError(name) {
  const [number, library, reason] = OPENSSL[name];
  return Object.assign(new Error(`error:${number}:${library}::${reason}`), { library, reason, code: `ERR_OSSL_${name}` });
}

export const invalidState = (what = undefined) =>
  nodeError(Error, 'ERR_CRYPTO_INVALID_STATE', what ? `Invalid state for operation ${what}` : 'Invalid state');

export const invalidDigest = (name) => nodeError(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);

const quoted = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

/** `The property 'options.type' is invalid. Received 'x'`: Node's error for values outside of an enumeration. */
export function invalidValue(name, value, reason = 'is invalid') {
  const what = name.includes('.') ? 'property' : 'argument';
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${what} '${name}' ${reason}. Received ${quoted(value)}`);
}
