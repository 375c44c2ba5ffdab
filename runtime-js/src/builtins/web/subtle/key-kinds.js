// Allowed key usages by algorithm.
import { failure } from './arguments.js';

const CIPHER = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
const SIGNING = { public: ['verify'], private: ['sign'] };

/** By key type, in Node's order for pairs. */
const KINDS = {
  'AES-CBC': { secret: CIPHER },
  'AES-CTR': { secret: CIPHER },
  'AES-GCM': { secret: CIPHER },
  'AES-KW': { secret: ['wrapKey', 'unwrapKey'] },
  HMAC: { secret: ['sign', 'verify'] },
  PBKDF2: { secret: ['deriveKey', 'deriveBits'] },
  HKDF: { secret: ['deriveKey', 'deriveBits'] },
  'RSASSA-PKCS1-v1_5': SIGNING,
  'RSA-PSS': SIGNING,
  ECDSA: SIGNING,
  Ed25519: SIGNING,
  'RSA-OAEP': { public: ['encrypt', 'wrapKey'], private: ['decrypt', 'unwrapKey'] },
  ECDH: { public: [], private: ['deriveKey', 'deriveBits'] },
  X25519: { public: [], private: ['deriveKey', 'deriveBits'] },
};

const ARTICLES = { HMAC: 'an HMAC', PBKDF2: 'a PBKDF2', HKDF: 'a HKDF', ECDSA: 'a ECDSA', ECDH: 'a ECDH', Ed25519: 'a Ed25519', X25519: 'a X25519' };
const described = (name) => (name.startsWith('AES') ? 'an AES' : (ARTICLES[name] ?? 'an RSA'));

const unsupported = (name) => failure(`Unsupported key usage for ${described(name)} key`, 'SyntaxError');

/** Throws for usages that a key of that type cannot have. */
export function checkUsages(name, type, usages) {
  if (usages.some((usage) => !KINDS[name][type].includes(usage))) throw unsupported(name);
}

/** Distributes the requested usages over a key pair. */
export function pairUsages(name, usages) {
  const { public: ofPublic, private: ofPrivate } = KINDS[name];
  if (usages.some((usage) => !ofPublic.includes(usage) && !ofPrivate.includes(usage))) throw unsupported(name);
  const distinct = [...new Set(usages)];
  return [ofPublic, ofPrivate].map((possible) => possible.filter((usage) => distinct.includes(usage)));
}
