// Hashes and HMAC: every algorithm, every spelling, and what is wrong with arguments.
import crypto, { createHash, createHmac, getHashes, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const caught = (work) => {
  try {
    return work();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const names = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-224', 'sha512-256', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512', 'ripemd160', 'blake2b512', 'blake2s256'];
for (const name of names) {
  show(name, createHash(name).update('hello ü').digest('hex'));
  show(`hmac ${name}`, createHmac(name, 'k'.repeat(200)).update('x').digest('base64'));
}
const spellings = ['SHA256', 'sha-256', 'RSA-SHA256', 'SHA2-256', 'sha256WithRSAEncryption', 'rmd160', 'RIPEMD-160', 'SHA-512/256', 'RSA-SHA1-2', 'ssl3-md5', 'BLAKE2B-512', 'shake-128'];
for (const name of spellings) show(name, createHash(name).update('').digest('hex').slice(0, 8));
for (const outputLength of [0, 1, 16, 200]) show(`shake ${outputLength}`, createHash('shake256', { outputLength }).update('x').digest('hex'));
show('shake', [createHash('shake128').digest('hex'), createHash('shake256').digest('hex')]);
show('same length', createHash('sha256', { outputLength: 32 }).digest().length);
show('other length', caught(() => createHash('sha256', { outputLength: 16 })));
show('wrong length', [-1, 'a'].map((outputLength) => caught(() => createHash('shake128', { outputLength }))));
const hash = createHash('sha256').update('common');
const copy = hash.copy();
show('copy', [hash.update('1').digest('hex'), copy.update('2').digest('hex')]);
show('done', ['update', 'digest', 'copy'].map((method) => caught(() => hash[method]('x'))));
show('encodings', ['hex', 'base64', 'base64url', 'latin1', 'buffer'].map((encoding) => createHash('md5').update('616263', 'hex').digest(encoding)));
show('wrong', [caught(() => createHash('nope')), caught(() => createHmac('nope', 'x')), caught(() => createHash(5)), caught(() => createHmac('md5')), caught(() => createHash('md5').update(5))]);
const hmac = createHmac('md5', 'x');
hmac.digest();
show('hmac done', [hmac.digest('hex'), caught(() => hmac.update('x'))]);
show('one shot', [crypto.hash('sha1', 'abc'), crypto.hash('sha1', Buffer.from('abc'), 'base64')]);
show('listed', ['sha256', 'RSA-SHA256', 'sha3-512', 'ripemd160'].map((name) => getHashes().includes(name)));
show('equal', [timingSafeEqual(Buffer.from('a'), Buffer.from('a')), caught(() => timingSafeEqual(Buffer.from('a'), Buffer.from('ab')))]);
show('key object', createHmac('sha1', crypto.createSecretKey('k', 'utf8')).update('x').digest('hex') === createHmac('sha1', 'k').update('x').digest('hex'));
show('require', createRequire(import.meta.url)('crypto').createHash === createHash);
