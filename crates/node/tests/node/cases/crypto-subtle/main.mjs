// `crypto.subtle`: keys in and out, every operation, and what is wrong with arguments.
import nodeCrypto, { KeyObject } from 'node:crypto';

const { subtle } = globalThis.crypto;
const show = async (name, work) => {
  try {
    console.log(name, await work());
  } catch (error) {
    console.log(name, error.constructor.name, error.name, error.code, error.message, error.cause?.message);
  }
};
const gcm = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']);
const ec = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
const rsa = await subtle.generateKey(
  { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  true,
  ['sign', 'verify'],
);
const oaep = await subtle.generateKey(
  { name: 'RSA-OAEP', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  true,
  ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
);
const hmac = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']);
const ed = await subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify']);
const x = await subtle.generateKey({ name: 'X25519' }, true, ['deriveBits', 'deriveKey']);
const dh = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits', 'deriveKey']);
console.log(gcm, ec, rsa.publicKey, hmac, ed.privateKey, x.publicKey);
for (const [n, k] of Object.entries({
  gcm,
  hmac,
  ecp: ec.publicKey,
  ecs: ec.privateKey,
  rp: rsa.publicKey,
  rs: rsa.privateKey,
  edp: ed.publicKey,
  eds: ed.privateKey,
  xp: x.publicKey,
  xs: x.privateKey,
  op: oaep.publicKey,
}))
  await show('jwk ' + n, async () => {
    const j = await subtle.exportKey('jwk', k);
    return JSON.stringify(Object.fromEntries(Object.entries(j).map(([k, v]) => [k, typeof v === 'string' && v.length > 12 ? '…' : v])));
  });
await show('exp raw ecpriv', () => subtle.exportKey('raw', ec.privateKey));
await show('exp raw ecpub', async () => (await subtle.exportKey('raw', ec.publicKey)).byteLength);
await show('exp spki gcm', () => subtle.exportKey('spki', gcm));
await show('exp bad', () => subtle.exportKey('nope', gcm));
await show('exp pkcs8 pub', () => subtle.exportKey('pkcs8', ec.publicKey));
await show('imp usage', () => subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', true, ['sign']));
await show('imp usage none', () => subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', true, []));
await show('imp bad usage', () => subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', true, ['nope']));
await show('imp len', () => subtle.importKey('raw', new Uint8Array(31), 'AES-GCM', true, ['encrypt']));
await show('imp alg', () => subtle.importKey('raw', new Uint8Array(32), 'nope', true, ['encrypt']));
await show('imp fmt', () => subtle.importKey('nope', new Uint8Array(32), 'AES-GCM', true, ['encrypt']));
await show('imp hmac nohash', () => subtle.importKey('raw', new Uint8Array(32), 'HMAC', true, ['sign']));
await show('imp hmac empty', () => subtle.importKey('raw', new Uint8Array(0), { name: 'HMAC', hash: 'SHA-1' }, true, ['sign']));
await show('imp hmac', () =>
  subtle.importKey('raw', new Uint8Array(20), { name: 'hmac', hash: 'sha-1' }, true, ['sign', 'sign', 'verify']),
);
await show('imp pbkdf2 extr', () => subtle.importKey('raw', new Uint8Array(20), 'PBKDF2', true, ['deriveBits']));
await show('imp pbkdf2', () => subtle.importKey('raw', new Uint8Array(20), 'PBKDF2', false, ['deriveBits']));
await show('imp hkdf', () => subtle.importKey('raw', new Uint8Array(20), { name: 'HKDF' }, false, ['deriveKey']));
await show('imp spki bad', () => subtle.importKey('spki', new Uint8Array(20), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']));
await show('imp pkcs8 nousage', async () =>
  subtle.importKey('pkcs8', await subtle.exportKey('pkcs8', ec.privateKey), { name: 'ECDSA', namedCurve: 'P-256' }, false, []),
);
await show('imp spki wrong curve', async () =>
  subtle.importKey('spki', await subtle.exportKey('spki', ec.publicKey), { name: 'ECDSA', namedCurve: 'P-384' }, false, ['verify']),
);
await show('imp spki wrong type', async () =>
  subtle.importKey('spki', await subtle.exportKey('spki', ec.publicKey), { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['verify']),
);
await show('imp jwk kty', () => subtle.importKey('jwk', { kty: 'RSA' }, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']));
await show('imp jwk use', async () =>
  subtle.importKey('jwk', { ...(await subtle.exportKey('jwk', ec.publicKey)), use: 'enc' }, { name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'verify',
  ]),
);
await show('imp jwk ext', async () =>
  subtle.importKey('jwk', { ...(await subtle.exportKey('jwk', ec.publicKey)), ext: false }, { name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'verify',
  ]),
);
await show('imp jwk keyops', async () =>
  subtle.importKey(
    'jwk',
    { ...(await subtle.exportKey('jwk', ec.publicKey)), key_ops: ['sign'] },
    { name: 'ECDSA', namedCurve: 'P-256' },
    true,
    ['verify'],
  ),
);
await show('imp jwk oct', async () => subtle.importKey('jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'AES-GCM', true, ['encrypt']));
await show('imp jwk oct alg', async () =>
  subtle.importKey('jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A256GCM' }, 'AES-GCM', true, ['encrypt']),
);
await show('imp jwk str', async () => subtle.importKey('jwk', 'x', 'AES-GCM', true, ['encrypt']));
await show('imp raw str', async () => subtle.importKey('raw', 'x', 'AES-GCM', true, ['encrypt']));
await show('not enough', async () => subtle.importKey('raw'));
await show('digest none', async () => subtle.digest());
await show('digest bad', async () => subtle.digest('MD5', new Uint8Array(1)));
await show('digest str', async () => subtle.digest('SHA-1', 'x'));
await show('enc usage', async () => {
  const k = await subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', true, ['encrypt']);
  return subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, k, new Uint8Array(20));
});
await show('enc alg mismatch', () => subtle.encrypt({ name: 'AES-CBC', iv: new Uint8Array(16) }, gcm, new Uint8Array(2)));
await show('enc noiv', () => subtle.encrypt({ name: 'AES-GCM' }, gcm, new Uint8Array(2)));
await show('enc str alg', () => subtle.encrypt('AES-GCM', gcm, new Uint8Array(2)));
await show('enc tag', () => subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12), tagLength: 100 }, gcm, new Uint8Array(2)));
await show(
  'enc tag96',
  async () => (await subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12), tagLength: 96 }, gcm, new Uint8Array(2))).byteLength,
);
await show('dec short', () => subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, gcm, new Uint8Array(2)));
await show('dec bad', () => subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, gcm, new Uint8Array(22)));
// Not by chance: one key in 256 makes a valid padding of zeros.
const cbc = await subtle.importKey('raw', new Uint8Array(16), 'AES-CBC', true, ['encrypt', 'decrypt']);
const ctr = await subtle.generateKey({ name: 'AES-CTR', length: 128 }, true, ['encrypt', 'decrypt']);
const kw = await subtle.generateKey({ name: 'AES-KW', length: 128 }, true, ['wrapKey', 'unwrapKey']);
await show('cbc iv', () => subtle.encrypt({ name: 'AES-CBC', iv: new Uint8Array(12) }, cbc, new Uint8Array(2)));
await show('cbc bad', () => subtle.decrypt({ name: 'AES-CBC', iv: new Uint8Array(16) }, cbc, new Uint8Array(16)));
await show('ctr len', () => subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(16), length: 200 }, ctr, new Uint8Array(2)));
await show('ctr nolen', () => subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(16) }, ctr, new Uint8Array(2)));
await show('ctr cnt', () => subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(15), length: 64 }, ctr, new Uint8Array(2)));
await show('sign usage', () => subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, ec.publicKey, new Uint8Array(2)));
await show('sign nohash', () => subtle.sign('ECDSA', ec.privateKey, new Uint8Array(2)));
await show('sign ed', async () => (await subtle.sign('Ed25519', ed.privateKey, new Uint8Array(2))).byteLength);
await show('sign mismatch', () => subtle.sign('HMAC', ed.privateKey, new Uint8Array(2)));
await show('sign notkey', () => subtle.sign('HMAC', 5, new Uint8Array(2)));
await show(
  'pss',
  async () =>
    await subtle.verify(
      { name: 'RSA-PSS', saltLength: 32 },
      rsa.publicKey,
      await subtle.sign({ name: 'RSA-PSS', saltLength: 32 }, rsa.privateKey, new Uint8Array(2)),
      new Uint8Array(2),
    ),
);
await show('pss nosalt', () => subtle.sign({ name: 'RSA-PSS' }, rsa.privateKey, new Uint8Array(2)));
await show('derive ecdh', async () => (await subtle.deriveBits({ name: 'ECDH', public: dh.publicKey }, dh.privateKey, 256)).byteLength);
await show(
  'derive ecdh null',
  async () => (await subtle.deriveBits({ name: 'ECDH', public: dh.publicKey }, dh.privateKey, null)).byteLength,
);
await show('derive ecdh nolen', async () => (await subtle.deriveBits({ name: 'ECDH', public: dh.publicKey }, dh.privateKey)).byteLength);
await show(
  'derive ecdh long',
  async () => (await subtle.deriveBits({ name: 'ECDH', public: dh.publicKey }, dh.privateKey, 512)).byteLength,
);
await show('derive ecdh 100', async () => (await subtle.deriveBits({ name: 'ECDH', public: dh.publicKey }, dh.privateKey, 100)).byteLength);
await show('derive x', async () => (await subtle.deriveBits({ name: 'X25519', public: x.publicKey }, x.privateKey, 128)).byteLength);
await show(
  'derive key ecdh',
  async () =>
    await subtle.deriveKey({ name: 'ECDH', public: dh.publicKey }, dh.privateKey, { name: 'AES-GCM', length: 256 }, true, ['encrypt']),
);
await show('derive key hkdf->hmac', async () => {
  const k = await subtle.importKey('raw', new Uint8Array(20), { name: 'HKDF' }, false, ['deriveKey']);
  return subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(1), info: new Uint8Array(1) },
    k,
    { name: 'HMAC', hash: 'SHA-1' },
    true,
    ['sign'],
  );
});
const pb = await subtle.importKey('raw', new Uint8Array(20), 'PBKDF2', false, ['deriveBits']);
await show('pbkdf2 len7', () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(1), iterations: 1 }, pb, 7));
await show('pbkdf2 len null', () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(1), iterations: 1 }, pb, null));
await show('pbkdf2 iter 0', () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(1), iterations: 0 }, pb, 8));
await show('pbkdf2 nosalt', () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', iterations: 1 }, pb, 8));
await show('pbkdf2 usage', () =>
  subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(1), iterations: 1 }, pb, { name: 'AES-GCM', length: 256 }, true, [
    'encrypt',
  ]),
);
await show('wrap', async () => (await subtle.wrapKey('raw', cbc, kw, 'AES-KW')).byteLength);
await show('wrap gcm', async () => (await subtle.wrapKey('jwk', cbc, gcm, { name: 'AES-GCM', iv: new Uint8Array(12) })).byteLength);
await show(
  'unwrap',
  async () => await subtle.unwrapKey('raw', await subtle.wrapKey('raw', cbc, kw, 'AES-KW'), kw, 'AES-KW', 'AES-CBC', true, ['encrypt']),
);
await show('unwrap bad', async () => await subtle.unwrapKey('raw', new Uint8Array(24), kw, 'AES-KW', 'AES-CBC', true, ['encrypt']));
await show('wrap oaep', async () => (await subtle.wrapKey('raw', cbc, oaep.publicKey, { name: 'RSA-OAEP' })).byteLength);
await show('not extractable', async () =>
  subtle.exportKey('raw', await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt'])),
);
await show('gen len', () => subtle.generateKey({ name: 'AES-GCM', length: 100 }, true, ['encrypt']));
await show('gen nolen', () => subtle.generateKey({ name: 'AES-GCM' }, true, ['encrypt']));
await show('gen usage', () => subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['sign']));
await show('gen nousage', () => subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, []));
await show('gen alg', () => subtle.generateKey({ name: 'nope', length: 128 }, true, ['sign']));
await show('gen curve', () => subtle.generateKey({ name: 'ECDSA', namedCurve: 'nope' }, true, ['sign']));
await show('gen hmac len', () => subtle.generateKey({ name: 'HMAC', hash: 'SHA-512' }, true, ['sign']));
await show('ctor', () => new CryptoKey());
await show('ko', () => [
  KeyObject.from(gcm),
  KeyObject.from(ec.privateKey).asymmetricKeyType,
  Object.prototype.toString.call(gcm),
  Object.keys(gcm),
  nodeCrypto.webcrypto === globalThis.crypto,
  nodeCrypto.createHmac('sha1', hmac).update('').digest().length,
]);
await show(
  'usages order',
  async () => (await subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', true, ['unwrapKey', 'decrypt', 'encrypt', 'encrypt'])).usages,
);
await show('verify types', () => subtle.verify('HMAC', hmac, 'x', new Uint8Array(1)));
await show('this', () => (0, subtle.digest)('SHA-1', new Uint8Array(1)));

const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => Buffer.from(buffer).toString('hex');
const fixed = (name, usages, hash = undefined) =>
  subtle.importKey('raw', new Uint8Array(32).fill(1), hash ? { name, hash } : name, false, usages);
const mac = await fixed('HMAC', ['sign', 'verify'], 'SHA-512');
const code = await subtle.sign('HMAC', mac, bytes('x'));
await show('hmac', async () => [
  hex(code),
  await subtle.verify('HMAC', mac, code, bytes('x')),
  await subtle.verify('HMAC', mac, code, bytes('y')),
]);
for (const [name, settings] of Object.entries({
  'AES-GCM': { iv: new Uint8Array(12), additionalData: bytes('a'), tagLength: 96 },
  'AES-CBC': { iv: new Uint8Array(16) },
  'AES-CTR': { counter: new Uint8Array(16).fill(255), length: 8 },
})) {
  const key = await fixed(name, ['encrypt', 'decrypt']);
  const sealed = await subtle.encrypt({ name, ...settings }, key, bytes('hello '.repeat(9)));
  await show(name, async () => [hex(sealed), new TextDecoder().decode(await subtle.decrypt({ name, ...settings }, key, sealed))]);
}
await show('pbkdf2', async () =>
  hex(
    await subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-384', salt: bytes('s'), iterations: 9 },
      await fixed('PBKDF2', ['deriveBits']),
      200,
    ),
  ),
);
await show('hkdf', async () =>
  hex(
    await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-1', salt: bytes('s'), info: bytes('i') }, await fixed('HKDF', ['deriveBits']), 200),
  ),
);
await show('kw', async () =>
  hex(
    await subtle.wrapKey(
      'raw',
      await subtle.importKey('raw', new Uint8Array(24).fill(2), 'AES-GCM', true, ['encrypt']),
      await fixed('AES-KW', ['wrapKey']),
      'AES-KW',
    ),
  ),
);
for (const format of ['spki', 'jwk', 'raw']) {
  const again = await subtle.importKey(format, await subtle.exportKey(format, ec.publicKey), { name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'verify',
  ]);
  await show(format, async () =>
    subtle.verify(
      { name: 'ECDSA', hash: 'SHA-384' },
      again,
      await subtle.sign({ name: 'ECDSA', hash: 'SHA-384' }, ec.privateKey, bytes('m')),
      bytes('m'),
    ),
  );
}
const label = { name: 'RSA-OAEP', label: bytes('l') };
await show('oaep', async () =>
  new TextDecoder().decode(await subtle.decrypt(label, oaep.privateKey, await subtle.encrypt(label, oaep.publicKey, bytes('hidden')))),
);
await show(
  'web wrap',
  async () =>
    (
      await subtle.unwrapKey('jwk', await subtle.wrapKey('jwk', cbc, oaep.publicKey, label), oaep.privateKey, label, 'AES-CBC', true, [
        'encrypt',
      ])
    ).algorithm,
);
