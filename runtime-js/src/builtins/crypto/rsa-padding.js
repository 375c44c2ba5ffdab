// RSA padding options for the native half: `[padding, hash, salt length, prefix or label]`.
import { createHash } from 'lmthing:internal/native/crypto';
import { nodeError } from '../shared/errors.js';
import { constants } from './constants.js';
import { none, octets, oid, sequence } from './der.js';
import { invalidDigest, opensslError } from './errors.js';

const OIDS = {
  md5: '1.2.840.113549.2.5',
  ripemd160: '1.3.36.3.2.1',
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
  'sha512-224': '2.16.840.1.101.3.4.2.5',
  'sha512-256': '2.16.840.1.101.3.4.2.6',
  'sha3-224': '2.16.840.1.101.3.4.2.7',
  'sha3-256': '2.16.840.1.101.3.4.2.8',
  'sha3-384': '2.16.840.1.101.3.4.2.9',
  'sha3-512': '2.16.840.1.101.3.4.2.10',
};
const MASKED_HASHES = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

/** The DER prefix of a digest in a PKCS #1 signature, which names the hash. */
function prefixOf(hash) {
  if (!OIDS[hash]) throw opensslError('INVALID_DIGEST');
  const length = createHash(hash).digest().length;
  return sequence(sequence(oid(OIDS[hash]), none()), octets(new Uint8Array(length))).slice(0, -length);
}

/** Checks that the hash is supported for PSS or OAEP. */
export function checkMasked(hash, padding) {
  if (MASKED_HASHES.includes(hash)) return;
  throw nodeError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `lmthing does not offer ${padding} with ${hash}; only with ${MASKED_HASHES.join(', ')}`);
}

export function signaturePadding(hash, digest, modulusLength, { padding, saltLength }, isSigning) {
  if (padding === undefined || padding === constants.RSA_PKCS1_PADDING) return ['pkcs1', '', undefined, prefixOf(hash)];
  if (padding !== constants.RSA_PKCS1_PSS_PADDING) throw invalidDigest(hash);
  checkMasked(hash, 'PSS');
  const longest = Math.ceil((modulusLength - 1) / 8) - digest.length - 2;
  const salt = saltLength === constants.RSA_PSS_SALTLEN_DIGEST ? digest.length : saltLength;
  if (salt > longest && isSigning) throw opensslError('RSA_DATA_TOO_LARGE_FOR_KEY_SIZE');
  const isAutomatic = salt === undefined || salt === constants.RSA_PSS_SALTLEN_AUTO;
  // Automatic salt length: the longest possible when signing, any when verifying.
  return ['pss', hash, isAutomatic ? (isSigning ? longest : undefined) : salt, undefined];
}
