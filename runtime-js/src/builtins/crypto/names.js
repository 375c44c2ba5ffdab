// OpenSSL's names for the supported algorithms.

const HASHES = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-224', 'sha512-256', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512', 'ripemd160', 'blake2b512', 'blake2s256', 'shake128', 'shake256'];
const known = new Set(HASHES);
const ALIASES = { 'ssl3-md5': 'md5', 'ssl3-sha1': 'sha1', 'sha1-2': 'sha1', ripemd: 'ripemd160', rmd160: 'ripemd160', 'ripemd-160': 'ripemd160', 'blake2b-512': 'blake2b512', 'blake2s-256': 'blake2s256' };

/** The native half's name for a hash; `undefined` if unsupported. `SHA256`, `sha-256` and `RSA-SHA256` are the same. */
export function hashName(name) {
  let plain = name.toLowerCase().replace(/^rsa-|withrsa(encryption)?$/g, '');
  plain = (ALIASES[plain] ?? plain).replace('/', '-').replace(/^(sha2?|shake)-(?=\d{3})/, (_, family) => family.replace('2', ''));
  return known.has(plain) ? plain : undefined;
}

/** Default output lengths. */
export const EXTENDABLE = { shake128: 16, shake256: 32 };

export const getHashes = () => 'RSA-MD5 RSA-RIPEMD160 RSA-SHA1 RSA-SHA1-2 RSA-SHA224 RSA-SHA256 RSA-SHA3-224 RSA-SHA3-256 RSA-SHA3-384 RSA-SHA3-512 RSA-SHA384 RSA-SHA512 RSA-SHA512/224 RSA-SHA512/256 blake2b512 blake2s256 md5 md5WithRSAEncryption ripemd ripemd160 ripemd160WithRSA rmd160 sha1 sha1WithRSAEncryption sha224 sha224WithRSAEncryption sha256 sha256WithRSAEncryption sha3-224 sha3-256 sha3-384 sha3-512 sha384 sha384WithRSAEncryption sha512 sha512-224 sha512-224WithRSAEncryption sha512-256 sha512-256WithRSAEncryption sha512WithRSAEncryption shake128 shake256 ssl3-md5 ssl3-sha1'.split(' ');

const CIPHERS = new Map([['chacha20-poly1305', { native: 'chacha20-poly1305', mode: 'stream', name: 'chacha20-poly1305', nid: 1018, ivLength: 12, keyLength: 32 }]]);
const MODES = { ecb: [418, 422, 426], cbc: [419, 423, 427], gcm: [895, 898, 901], ctr: [904, 905, 906] };
for (const [mode, numbers] of Object.entries(MODES)) {
  numbers.forEach((nid, index) => {
    const size = 128 + 64 * index;
    const native = `aes-${size}-${mode}`;
    const cipher = { native, mode, name: mode === 'gcm' ? `id-aes${size}-gcm` : native, nid, keyLength: size / 8 };
    if (mode === 'gcm' || mode === 'ctr') cipher.blockSize = 1;
    else cipher.blockSize = 16;
    if (mode !== 'ecb') cipher.ivLength = mode === 'gcm' ? 12 : 16;
    CIPHERS.set(native, cipher);
    if (mode === 'gcm') CIPHERS.set(cipher.name, cipher);
    if (mode === 'cbc') CIPHERS.set(`aes${size}`, cipher);
  });
}

export const cipherOf = (name) => CIPHERS.get(name.toLowerCase());
export const cipherOfNumber = (nid) => [...CIPHERS.values()].find((cipher) => cipher.nid === nid);
export const getCiphers = () => [...CIPHERS.keys()].sort().map((name) => name.replace(/^(id-.*)gcm$/, '$1GCM'));

/** OpenSSL's name of each curve, and its JWK name, which the native half uses. */
const CURVES = [
  { name: 'prime256v1', web: 'P-256', aliases: ['P-256', 'secp256r1'], oid: '1.2.840.10045.3.1.7', size: 32 },
  { name: 'secp256k1', web: 'secp256k1', aliases: [], oid: '1.3.132.0.10', size: 32 },
  { name: 'secp384r1', web: 'P-384', aliases: ['P-384'], oid: '1.3.132.0.34', size: 48 },
  { name: 'secp521r1', web: 'P-521', aliases: ['P-521'], oid: '1.3.132.0.35', size: 66 },
];
export const curveNamed = (name) => CURVES.find((curve) => curve.name === name || curve.aliases.includes(name));
export const curveOfOid = (oid) => CURVES.find((curve) => curve.oid === oid);
export const curveOfWeb = (web) => CURVES.find((curve) => curve.web === web);
export const getCurves = () => CURVES.map((curve) => curve.name);
