// Signatures, RSA encryption and shared secrets, also those Node made before. The keys were made for this test.
import crypto, { createSign, createVerify, privateDecrypt, publicEncrypt, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const caught = (work) => {
  try {
    return work();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const keys = JSON.parse(readFileSync(new URL('keys.json', import.meta.url), 'utf8'));
const message = Buffer.from('the message');
for (const [name, text] of Object.entries(keys.signatures)) {
  const [key, hash = null, kind, salt] = name.split(' ');
  const options = {};
  if (kind === 'p1363') options.dsaEncoding = 'ieee-p1363';
  if (kind === 'pss') options.padding = crypto.constants.RSA_PKCS1_PSS_PADDING;
  if (Number(salt)) options.saltLength = Number(salt);
  const given = Buffer.from(text, 'base64');
  const check = (data, signature) => verify(hash, data, { key: keys[key].pub, ...options }, signature);
  const made = sign(hash, message, { key: keys[key].priv, ...options });
  const isFixed = (key === 'rsa' && !kind) || key === 'ed';
  show(name, [check(message, given), check(Buffer.from('x'), given), check(message, made), check(message, made.subarray(0, -1)), isFixed && made.equals(given)]);
}
const signature = createSign('RSA-SHA256').update('the ').update('message').sign(keys.rsa.priv, 'base64');
show('in pieces', [signature === keys.signatures['rsa sha256'], createVerify('SHA256').update(message).verify(keys.rsa.priv, signature, 'base64')]);
show('later', await new Promise((done) => sign('sha256', message, keys.ed.priv, (error) => done(error instanceof Error))));
show('verified later', await new Promise((done) => verify(null, message, keys.ed.pub, Buffer.from(keys.signatures.ed, 'base64'), (...given) => done(given))));
for (const [oaepHash, text] of Object.entries(keys.sealed)) {
  const sealed = publicEncrypt({ key: keys.rsa.pub, oaepHash }, message);
  show(oaepHash, [privateDecrypt({ key: keys.rsa.priv, oaepHash, oaepLabel: Buffer.from('l') }, Buffer.from(text, 'base64')).toString(), privateDecrypt({ key: keys.rsa.priv, oaepHash }, sealed).toString()]);
}
show('the other way', [crypto.publicDecrypt(keys.rsa.pub, Buffer.from(keys.privateSealed, 'base64')).toString(), crypto.privateEncrypt(keys.rsa.priv, message).toString('base64') === keys.privateSealed]);
const { RSA_PKCS1_PADDING, RSA_NO_PADDING } = crypto.constants;
const plain = Buffer.alloc(256, 1);
const raw = publicEncrypt({ key: keys.rsa.pub, padding: RSA_NO_PADDING }, plain);
show('no padding', [raw.toString('base64'), privateDecrypt({ key: keys.rsa.priv, padding: RSA_NO_PADDING }, raw).equals(plain)]);
show('wrong', [
  () => publicEncrypt(keys.rsa.pub, Buffer.alloc(300)),
  () => privateDecrypt(keys.rsa.priv, Buffer.alloc(256, 1)),
  () => privateDecrypt({ key: keys.rsa.priv, padding: RSA_PKCS1_PADDING }, Buffer.alloc(256, 1)),
  () => crypto.publicDecrypt(keys.rsa.pub, Buffer.alloc(256, 1)),
  () => createSign('nope'),
  () => sign('nope', message, keys.rsa.priv),
  () => createSign('sha256').sign(),
  () => createSign('sha256').sign(crypto.createPublicKey(keys.rsa.pub)),
  () => createSign('sha256').sign(keys.ed.priv),
  () => sign('sha256', message, keys.ed.priv),
  () => sign(null, message, keys.x.priv),
  () => sign('sha256', message, { key: keys.p256.priv, dsaEncoding: 'x' }),
  () => sign('sha256', message, { key: keys.rsa.priv, padding: 'x' }),
].map(caught));
const [own, other] = [crypto.createECDH('prime256v1'), crypto.createECDH('prime256v1')];
own.setPrivateKey('01'.repeat(32), 'hex');
other.setPrivateKey('02'.repeat(32), 'hex');
show('ecdh', [own.getPublicKey('hex'), own.getPublicKey('hex', 'compressed'), own.getPublicKey('hex', 'hybrid'), own.getPrivateKey('hex'), own.computeSecret(other.getPublicKey(), null, 'hex'), own.computeSecret(other.getPublicKey(null, 'compressed'), undefined, 'base64')]);
show('ecdh wrong', [() => crypto.createECDH('nope'), () => own.computeSecret(Buffer.alloc(65)), () => crypto.createECDH('prime256v1').getPublicKey(), () => own.setPrivateKey(Buffer.alloc(32))].map(caught));
const pairOf = (name) => ({ privateKey: crypto.createPrivateKey(keys[name].priv), publicKey: crypto.createPublicKey(keys[name].pub) });
show('shared', ['x', 'p256', 'p384', 'p521', 'k256'].map((name) => crypto.diffieHellman(pairOf(name)).toString('hex')));
show('not shared', [caught(() => crypto.diffieHellman({ ...pairOf('x'), publicKey: pairOf('p256').publicKey })), caught(() => crypto.diffieHellman(pairOf('rsa'))), caught(() => crypto.diffieHellman({}))]);
show('curves', ['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1'].map((name) => crypto.getCurves().includes(name)));
