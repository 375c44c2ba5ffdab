// Ciphers in pieces of every size, their tags, and what is wrong with arguments.
import { createCipheriv, createDecipheriv, createHash, getCipherInfo, getCiphers } from 'node:crypto';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const caught = (work) => {
  try {
    return work();
  } catch (error) {
    return [error.name, error.code, error.message, error.reason];
  }
};
const key = Buffer.alloc(32, 1);
const iv = Buffer.alloc(16, 2);
const names = ['cbc', 'ctr', 'ecb', 'gcm'].flatMap((mode) => [128, 192, 256].map((size) => `aes-${size}-${mode}`)).concat('chacha20-poly1305');
for (const name of names) {
  const info = getCipherInfo(name);
  const given = [name, key.subarray(0, info.keyLength), info.ivLength ? iv.subarray(0, info.ivLength) : null];
  const isAuthenticated = /gcm|poly/.test(name);
  const options = isAuthenticated ? { authTagLength: 16 } : undefined;
  const cipher = createCipheriv(...given, options);
  if (isAuthenticated) cipher.setAAD(Buffer.from('with this'));
  let sealed = '';
  for (let size = 0; size < 50; size += 7) sealed += cipher.update('ü'.repeat(size), 'utf8', 'hex');
  sealed += cipher.final('hex');
  const decipher = createDecipheriv(...given, options);
  if (isAuthenticated) decipher.setAAD(Buffer.from('with this')).setAuthTag(cipher.getAuthTag());
  const bytes = Buffer.from(sealed, 'hex');
  const sizes = [];
  let opened = '';
  for (let at = 0; at < bytes.length; at += 5) {
    const part = decipher.update(bytes.subarray(at, at + 5));
    sizes.push(part.length);
    opened += part.toString('latin1');
  }
  opened += decipher.final('latin1');
  show(name, [info, createHash('sha1').update(sealed).digest('hex'), isAuthenticated && cipher.getAuthTag().toString('hex'), opened.length, sizes.join()]);
}
for (const size of [1, 8, 13, 16, 60]) {
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(size, 7));
  show(`vector of ${size}`, [cipher.update('abc', 'utf8', 'hex') + cipher.final('hex'), cipher.getAuthTag().toString('hex')]);
}
show('counter', createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16, 255)).update(Buffer.alloc(40)).toString('hex'));
const text = createDecipheriv('aes-256-ctr', key, iv);
const half = Buffer.from(createCipheriv('aes-256-ctr', key, iv).update('a🙂b', 'utf8'));
show('characters in two pieces', [text.update(half.subarray(0, 3), null, 'utf8'), text.update(half.subarray(3), null, 'utf8'), text.final('utf8')]);
const zero = (size) => Buffer.alloc(size);
const open = (name, size, data, change = () => {}) => caught(() => {
  const decipher = createDecipheriv(name, key, zero(size));
  change(decipher);
  return decipher.update(data, undefined, 'hex') + decipher.final('hex');
});
show('bad ends', [open('aes-256-cbc', 16, zero(32)), open('aes-256-cbc', 16, zero(31)), open('aes-256-cbc', 16, zero(0)), open('aes-256-cbc', 16, zero(32), (d) => d.setAutoPadding(false))]);
show('bad tags', [open('aes-256-gcm', 12, zero(3)), open('aes-256-gcm', 12, zero(3), (d) => d.setAuthTag(zero(16))), open('aes-256-gcm', 12, zero(3), (d) => d.setAuthTag(zero(3)))]);
const start = (...given) => caught(() => typeof createCipheriv(...given));
show('bad starts', [start('nope', key, iv), start('aes-256-cbc', zero(31), iv), start('aes-256-cbc', key, zero(15)), start('aes-256-cbc', key, null), start('aes-256-ecb', key, null), start('aes-256-ecb', key, iv), start('aes-256-gcm', key, zero(0)), start('aes-256-cbc', 5, iv), start('aes-256-cbc', key, 5), start(5, key, iv)]);
const done = createCipheriv('aes-256-cbc', key, iv);
done.final();
show('done', [caught(() => done.final()), caught(() => done.update('x')), caught(() => done.setAutoPadding()), caught(() => done.getAuthTag()), caught(() => done.setAAD(zero(1)))]);
show('names', ['AES-256-CBC', 'aes256', 'id-aes256-GCM'].map((name) => start(name, key, iv)));
show('listed', ['aes-256-gcm', 'aes-128-cbc', 'aes256', 'chacha20-poly1305'].map((name) => getCiphers().includes(name)));
show('nothing known', [getCipherInfo('nope'), getCipherInfo('aes-128-cbc', { keyLength: 32 })]);
