// Pairs of keys, signatures, encryption and agreement; crypto.subtle.
const show = (name, value) =>
  console.log(JSON.stringify({ [name]: value }, (k, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined ? '__undef' : v)));
const err = (e) => [e.name, e.code, e.errno, e.syscall, e.path?.replace?.(process.cwd(), 'CWD'), e.dest, e.message.replaceAll(process.cwd(), 'CWD')];
const t = async (name, fn) => {
  try {
    show(name, await fn());
  } catch (e) {
    show(name + ' !', err(e));
  }
};
const sleep = (ms) => new Promise((d) => setTimeout(d, ms));
import crypto, {
  generateKeyPairSync,
  createSign,
  createVerify,
  sign,
  verify,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  KeyObject,
  createECDH,
} from 'node:crypto';
import util from 'node:util';
const hex = (b) => Buffer.from(b).toString('hex');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const x = generateKeyPairSync('x25519');
await t('props', () =>
  [rsa, ec, ed, x].map((p) => [
    p.publicKey.type,
    p.privateKey.type,
    p.publicKey.asymmetricKeyType,
    p.publicKey.asymmetricKeyDetails,
    p.privateKey instanceof KeyObject,
    p.publicKey.symmetricKeySize,
  ]),
);
for (const h of ['sha1', 'sha256', 'sha512', 'RSA-SHA256'])
  await t(`sign rsa ${h}`, () => {
    const s = createSign(h).update('m').sign(rsa.privateKey);
    return [s.length, createVerify(h).update('m').verify(rsa.publicKey, s), createVerify(h).update('n').verify(rsa.publicKey, s)];
  });
await t('sign pss', () => {
  const o = { key: rsa.privateKey, padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const s = sign('sha256', Buffer.from('m'), o);
  return verify('sha256', Buffer.from('m'), { ...o, key: rsa.publicKey }, s);
});
await t('sign ec', () => {
  const s = sign('sha256', Buffer.from('m'), ec.privateKey);
  const p = sign('sha256', Buffer.from('m'), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
  return [
    s[0] === 0x30,
    p.length,
    verify('sha256', Buffer.from('m'), ec.publicKey, s),
    verify('sha256', Buffer.from('m'), { key: ec.publicKey, dsaEncoding: 'ieee-p1363' }, p),
  ];
});
await t('sign ed', () => {
  const s = sign(null, Buffer.from('m'), ed.privateKey);
  return [s.length, verify(null, Buffer.from('m'), ed.publicKey, s), verify(null, Buffer.from('x'), ed.publicKey, s)];
});
await t(
  'sign cb',
  () =>
    new Promise((d) =>
      sign('sha256', Buffer.from('m'), ec.privateKey, (e, s) => verify('sha256', Buffer.from('m'), ec.publicKey, s, (e2, ok) => d([e, e2, ok]))),
    ),
);
await t('sign stream', async () => {
  const s = createSign('SHA256');
  s.write('a');
  s.end('b');
  const sig = s.sign(rsa.privateKey, 'base64');
  return createVerify('SHA256').update('ab').verify(rsa.publicKey, sig, 'base64');
});
await t('sign bad key', () => sign('sha256', Buffer.from('m'), 'not a pem'));
await t('sign public', () => sign('sha256', Buffer.from('m'), rsa.publicKey));
await t('bad alg', () => createSign('nope'));
await t('pem', () => [
  rsa.publicKey.export({ type: 'spki', format: 'pem' }).split('\n')[0],
  rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).split('\n')[0],
  rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).split('\n')[0],
  ec.privateKey.export({ type: 'sec1', format: 'pem' }).split('\n')[0],
  rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).split('\n')[0],
]);
await t('jwk', () => [
  Object.keys(rsa.publicKey.export({ format: 'jwk' })),
  Object.keys(ec.privateKey.export({ format: 'jwk' })),
  Object.keys(ed.privateKey.export({ format: 'jwk' })),
]);
await t('jwk in', () => {
  const j = ec.privateKey.export({ format: 'jwk' });
  const k = createPrivateKey({ key: j, format: 'jwk' });
  return k.equals(ec.privateKey);
});
await t('der', () => {
  const d = ec.publicKey.export({ type: 'spki', format: 'der' });
  return createPublicKey({ key: d, type: 'spki', format: 'der' }).equals(ec.publicKey);
});
await t('enc pem', () => {
  const p = rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' });
  return [p.split('\n')[0], createPrivateKey({ key: p, passphrase: 'secret' }).equals(rsa.privateKey)];
});
await t('enc pem wrong', () => {
  const p = ec.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' });
  createPrivateKey({ key: p, passphrase: 'nope' });
});
await t('enc pem missing', () => {
  const p = ec.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' });
  createPrivateKey(p);
});
await t('pub from priv', () => createPublicKey(rsa.privateKey).equals(rsa.publicKey));
await t('secret', () => {
  const k = createSecretKey(Buffer.from('abc'));
  return [k.type, k.symmetricKeySize, hex(k.export()), k.export({ format: 'jwk' }), k.equals(createSecretKey('abc', 'utf8'))];
});
await t('genkey', async () => [
  crypto.generateKeySync('aes', { length: 256 }).symmetricKeySize,
  (await util.promisify(crypto.generateKey)('hmac', { length: 64 })).symmetricKeySize,
]);
await t('gen async', async () => {
  const p = await util.promisify(crypto.generateKeyPair)('ec', {
    namedCurve: 'secp256k1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return [Object.keys(p), p.publicKey.slice(0, 26)];
});
await t('gen bad', () => generateKeyPairSync('nope'));
await t('gen bad2', () => generateKeyPairSync('rsa'));
await t('gen bad curve', () => generateKeyPairSync('ec', { namedCurve: 'nope' }));
await t('rsa enc', () => {
  const e = crypto.publicEncrypt(rsa.publicKey, Buffer.from('hi'));
  return [e.length, crypto.privateDecrypt(rsa.privateKey, e).toString()];
});
await t('rsa oaep sha256', () => {
  const o = { padding: crypto.constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return crypto.privateDecrypt({ key: rsa.privateKey, ...o }, crypto.publicEncrypt({ key: rsa.publicKey, ...o }, Buffer.from('hi'))).toString();
});
await t('rsa priv enc', () => crypto.publicDecrypt(rsa.publicKey, crypto.privateEncrypt(rsa.privateKey, Buffer.from('q'))).toString());
await t('rsa too long', () => crypto.publicEncrypt(rsa.publicKey, Buffer.alloc(500)));
await t('rsa bad decrypt', () => crypto.privateDecrypt(rsa.privateKey, Buffer.alloc(256, 1)));
await t('ecdh', () => {
  const a = createECDH('prime256v1'),
    b = createECDH('prime256v1');
  const pa = a.generateKeys(),
    pb = b.generateKeys('hex', 'compressed');
  return [pa.length, pb.length, a.computeSecret(pb, 'hex', 'hex') === b.computeSecret(pa).toString('hex'), a.getPrivateKey().length];
});
await t('ecdh conv', () =>
  crypto.ECDH.convertKey(
    '04' + '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
    'prime256v1',
    'hex',
    'hex',
    'compressed',
  ),
);
await t('ecdh bad', () => createECDH('nope'));
await t('dh x', () => {
  const y = generateKeyPairSync('x25519');
  return crypto
    .diffieHellman({ privateKey: x.privateKey, publicKey: y.publicKey })
    .equals(crypto.diffieHellman({ privateKey: y.privateKey, publicKey: x.publicKey }));
});
const { subtle } = crypto;
const enc = new TextEncoder();
await t('digest', async () =>
  Promise.all(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'].map(async (a) => hex(await subtle.digest(a, enc.encode('abc'))))),
);
await t('digest bad', async () => {
  await subtle.digest('MD5', enc.encode('a'));
});
for (const [n, a] of [
  ['AES-GCM', { name: 'AES-GCM', iv: new Uint8Array(12) }],
  ['AES-CBC', { name: 'AES-CBC', iv: new Uint8Array(16) }],
  ['AES-CTR', { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 }],
])
  await t(n, async () => {
    const k = await subtle.importKey('raw', new Uint8Array(32), n, true, ['encrypt', 'decrypt']);
    const e = await subtle.encrypt(a, k, enc.encode('text'));
    return [hex(e), Buffer.from(await subtle.decrypt(a, k, e)).toString(), k.algorithm, k.usages, k.type, k.extractable];
  });
await t('hmac', async () => {
  const k = await subtle.importKey('raw', enc.encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  const s = await subtle.sign('HMAC', k, enc.encode('m'));
  return [hex(s), await subtle.verify('HMAC', k, s, enc.encode('m')), k.algorithm];
});
await t('no export', async () => {
  const k = await subtle.importKey('raw', enc.encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  await subtle.exportKey('raw', k);
});
await t('usage', async () => {
  const k = await subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']);
  await subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, k, new Uint8Array(32));
});
await t('bad tag', async () => {
  const k = await subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['decrypt']);
  await subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, k, new Uint8Array(32));
});
await t('pbkdf2', async () => {
  const k = await subtle.importKey('raw', enc.encode('p'), 'PBKDF2', false, ['deriveBits', 'deriveKey']);
  const d = await subtle.deriveKey(
    { name: 'PBKDF2', salt: enc.encode('s'), iterations: 100, hash: 'SHA-256' },
    k,
    { name: 'AES-GCM', length: 256 },
    true,
    ['encrypt'],
  );
  return [
    hex(await subtle.deriveBits({ name: 'PBKDF2', salt: enc.encode('s'), iterations: 100, hash: 'SHA-256' }, k, 128)),
    hex(await subtle.exportKey('raw', d)),
  ];
});
await t('hkdf', async () => {
  const k = await subtle.importKey('raw', enc.encode('p'), 'HKDF', false, ['deriveBits']);
  return hex(await subtle.deriveBits({ name: 'HKDF', salt: enc.encode('s'), info: new Uint8Array(), hash: 'SHA-512' }, k, 256));
});
await t('ecdsa', async () => {
  const k = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign', 'verify']);
  const s = await subtle.sign({ name: 'ECDSA', hash: 'SHA-384' }, k.privateKey, enc.encode('m'));
  return [
    s.byteLength,
    await subtle.verify({ name: 'ECDSA', hash: 'SHA-384' }, k.publicKey, s, enc.encode('m')),
    Object.keys(await subtle.exportKey('jwk', k.publicKey)),
    k.publicKey.usages,
  ];
});
await t('rsa', async () => {
  const k = await subtle.generateKey({ name: 'RSA-OAEP', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, true, [
    'encrypt',
    'decrypt',
    'wrapKey',
    'unwrapKey',
  ]);
  const e = await subtle.encrypt('RSA-OAEP', k.publicKey, enc.encode('m'));
  const a = await subtle.generateKey({ name: 'AES-CBC', length: 128 }, true, ['encrypt']);
  const w = await subtle.wrapKey('raw', a, k.publicKey, 'RSA-OAEP');
  const u = await subtle.unwrapKey('raw', w, k.privateKey, 'RSA-OAEP', 'AES-CBC', true, ['encrypt']);
  return [
    Buffer.from(await subtle.decrypt('RSA-OAEP', k.privateKey, e)).toString(),
    hex(await subtle.exportKey('raw', u)) === hex(await subtle.exportKey('raw', a)),
    k.publicKey.algorithm,
  ];
});
await t('pss', async () => {
  const k = await subtle.generateKey({ name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  const s = await subtle.sign({ name: 'RSA-PSS', saltLength: 32 }, k.privateKey, enc.encode('m'));
  return subtle.verify({ name: 'RSA-PSS', saltLength: 32 }, k.publicKey, s, enc.encode('m'));
});
await t('ecdh', async () => {
  const a = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits', 'deriveKey']);
  const b = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  return (
    hex(await subtle.deriveBits({ name: 'ECDH', public: b.publicKey }, a.privateKey, 256)) ===
    hex(await subtle.deriveBits({ name: 'ECDH', public: a.publicKey }, b.privateKey, 256))
  );
});
await t('ed25519', async () => {
  const k = await subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const s = await subtle.sign('Ed25519', k.privateKey, enc.encode('m'));
  return [s.byteLength, await subtle.verify('Ed25519', k.publicKey, s, enc.encode('m'))];
});
await t('aeskw', async () => {
  const k = await subtle.generateKey({ name: 'AES-KW', length: 256 }, false, ['wrapKey', 'unwrapKey']);
  const a = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
  return (await subtle.wrapKey('raw', a, k, 'AES-KW')).byteLength;
});
await t('jwk', async () => {
  const k = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-512' }, true, ['sign']);
  const j = await subtle.exportKey('jwk', k);
  return [Object.keys(j), j.alg, j.k.length];
});
await t('bad usages', async () => {
  await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, []);
});
await t('bad alg', async () => {
  await subtle.generateKey({ name: 'NOPE' }, true, ['sign']);
});
await t('toCryptoKey', async () => {
  const k = await subtle.generateKey({ name: 'AES-CBC', length: 128 }, true, ['encrypt']);
  return [KeyObject.from(k).symmetricKeySize, k instanceof CryptoKey, util.inspect(k).split('\n')[0], Object.prototype.toString.call(k)];
});
