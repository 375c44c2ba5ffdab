// Hashes, ciphers and signatures as streams.
import { createCipheriv, createDecipheriv, createHash, createHmac, createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const until = (stream, event) => new Promise((done) => stream.on(event, done));

const readable = createHash('sha256');
readable.setEncoding('hex');
readable.on('readable', () => {
  const digest = readable.read();
  if (digest) show('readable', digest);
});
readable.write('some data');
readable.end();
await until(readable, 'end');
show('is a stream', [createHash('md5') instanceof Transform, createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)) instanceof Transform]);

const cipher = createCipheriv('aes-256-cbc', Buffer.alloc(32), Buffer.alloc(16));
const parts = [];
cipher.on('data', (part) => parts.push(part));
cipher.write('hello');
cipher.write(Buffer.alloc(30));
cipher.end('bye');
await until(cipher, 'close');
show('cipher', Buffer.concat(parts).toString('hex'));

const [key, iv] = [Buffer.alloc(32, 3), Buffer.alloc(12, 4)];
const sealer = createCipheriv('aes-256-gcm', key, iv);
const sealed = [];
await pipeline(Readable.from([Buffer.from('aaa'), Buffer.from('b'.repeat(1000))]), sealer, new Writable({ write: (chunk, _, next) => next(null, sealed.push(chunk)) }));
const opener = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(sealer.getAuthTag());
let opened = '';
await pipeline(Readable.from(sealed), opener, async (source) => {
  for await (const chunk of source) opened += chunk;
});
show('there and back', [sealer.getAuthTag().toString('hex'), opened.length, opened.slice(0, 5)]);
const bad = createDecipheriv('aes-256-cbc', key, Buffer.alloc(16));
show('bad end', await pipeline(Readable.from([Buffer.alloc(17)]), bad, new Writable({ write: (_, __, next) => next() })).catch((error) => [error.code, error.message]));

for await (const code of Readable.from(['x', 'y']).pipe(createHmac('sha1', 'k'))) show('hmac', code.toString('hex'));
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const [signer, verifier] = [createSign('sha256'), createVerify('sha256')];
signer.write('x');
signer.end('y');
verifier.write('xy');
verifier.end();
show('signed', verifier.verify(publicKey, signer.sign(privateKey)));
const text = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
text.setEncoding('base64');
let encrypted = '';
text.on('data', (part) => (encrypted += part));
text.end('héllo', 'latin1');
await until(text, 'end');
show('encodings', encrypted);
const both = createHash('sha1').update('a');
both.end('b');
await until(both, 'finish');
show('both', [both.digest('hex'), both.writable, both.writableEnded]);
