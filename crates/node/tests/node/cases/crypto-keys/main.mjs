// Key objects: every format in and out, and what is wrong with arguments. The keys were made for this test.
import crypto, { createPrivateKey, createPublicKey, createSecretKey, generateKeyPairSync, KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)));
const caught = (work) => {
  try {
    return work();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const keys = JSON.parse(readFileSync(new URL('keys.json', import.meta.url), 'utf8'));
const pairs = Object.entries(keys).filter(([, pair]) => pair.pub);
for (const [name, { pub, priv }] of pairs) {
  const [publicKey, privateKey] = [createPublicKey(pub), createPrivateKey(priv)];
  show(name, [publicKey.asymmetricKeyType, privateKey.asymmetricKeyDetails, createPublicKey(priv).equals(publicKey), createPublicKey(privateKey).equals(publicKey)]);
  show('web', [publicKey.export({ format: 'jwk' }), privateKey.export({ format: 'jwk' })]);
  const web = privateKey.export({ format: 'jwk' });
  show('back', [createPrivateKey({ key: web, format: 'jwk' }).equals(privateKey), createPublicKey({ key: web, format: 'jwk' }).equals(publicKey)]);
  for (const type of ['pkcs1', 'pkcs8', 'sec1']) {
    show(type, caught(() => {
      const der = privateKey.export({ type, format: 'der' });
      return [der.toString('base64'), createPrivateKey({ key: der, format: 'der', type }).equals(privateKey), privateKey.export({ type, format: 'pem' })];
    }));
  }
  for (const type of ['pkcs1', 'spki']) {
    show(type, caught(() => {
      const der = publicKey.export({ type, format: 'der' });
      return [der.toString('hex'), createPublicKey({ key: der, format: 'der', type }).equals(publicKey), publicKey.export({ type, format: 'pem' })];
    }));
  }
}
const { pkcs8, pkcs1 } = keys.protected;
show('protected', [pkcs8, pkcs1].map((key) => createPrivateKey({ key, passphrase: 'secret' }).export({ type: 'pkcs8', format: 'pem' })));
show('not opened', [caught(() => createPrivateKey(pkcs8)), caught(() => createPrivateKey({ key: pkcs8, passphrase: 'x' }))]);
const own = createPrivateKey(keys.p256.priv);
for (const [type, cipher] of [['pkcs8', 'aes-256-cbc'], ['sec1', 'aes-128-cbc']]) {
  const sealed = own.export({ type, format: 'pem', cipher, passphrase: 'p' });
  show(`own ${type}`, [sealed.split('\n')[0], createPrivateKey({ key: sealed, passphrase: 'p' }).equals(own)]);
}
console.log([createPrivateKey(keys.x.priv), createPublicKey(own), createSecretKey(Buffer.alloc(4))], Object.prototype.toString.call(own));
show('secret', [createSecretKey('abc', 'utf8').export().toString(), createSecretKey(Buffer.alloc(4)).export({ format: 'jwk' }), caught(() => createSecretKey(5)), caught(() => createSecretKey(Buffer.alloc(4)).export({ format: 'pem' }))]);
show('wrong', [() => createPrivateKey('garbage'), () => createPublicKey('garbage'), () => createPrivateKey(), () => createPublicKey(), () => createPrivateKey(keys.rsa.pub), () => createPrivateKey({ key: Buffer.from('x'), format: 'der' }), () => createPublicKey(createSecretKey(Buffer.alloc(4))), () => createPrivateKey(own), () => own.export(), () => own.export({ type: 'nope', format: 'pem' }), () => own.export({ type: 'sec1', format: 'x' }), () => own.equals(5), () => KeyObject.from(5)].map(caught));
show('wrong web keys', [{ kty: 'RSA' }, { kty: 'nope' }, { kty: 'EC', crv: 'nope', x: '', y: '' }, { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, { kty: 'oct', k: 'AA' }].map((key) => caught(() => createPublicKey({ key, format: 'jwk' }))));
show('not made', [['nope'], ['rsa'], ['rsa', {}], ['ec', {}], ['ec', { namedCurve: 'x' }], ['ec', { namedCurve: 'P-256', publicKeyEncoding: { type: 'pkcs1', format: 'pem' } }]].map((given) => caught(() => generateKeyPairSync(...given))));
const made = generateKeyPairSync('rsa', { modulusLength: 1024, publicKeyEncoding: { type: 'pkcs1', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } });
show('made', [made.publicKey.split('\n')[0], made.privateKey.split('\n')[0], createPublicKey({ key: made.privateKey, passphrase: 'p' }).export({ type: 'pkcs1', format: 'pem' }) === made.publicKey]);
show('promise', Object.entries(await promisify(crypto.generateKeyPair)('x25519')).map(([name, key]) => [name, key.asymmetricKeyType]));
