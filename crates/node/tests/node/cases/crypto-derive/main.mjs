// Keys from passwords and other keys, random numbers.
import crypto, { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from 'node:crypto';
import { promisify } from 'node:util';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const caught = (work) => {
  try {
    return work();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
for (const hash of ['md5', 'sha1', 'sha256', 'sha512', 'sha512-256', 'sha3-256', 'ripemd160', 'blake2b512']) {
  show(hash, [hex(pbkdf2Sync('password', 'salt', 3, 40, hash)), hex(hkdfSync(hash, 'key', 'salt', 'info', 50))]);
}
show('scrypt', [hex(scryptSync('p', 's', 64, { N: 1024, r: 8, p: 2 })), hex(scryptSync('p', 's', 8, { cost: 16, blockSize: 1, parallelization: 1 })), scryptSync('p', 's', 0).length]);
show('promises', [hex(await promisify(scrypt)('p', 's', 8, { N: 16 })), hex(await promisify(pbkdf2)('p', 's', 1, 8, 'sha1')), hex(await promisify(hkdf)('sha1', 'k', 's', 'i', 8))]);
const order = [];
await new Promise((done) => {
  scrypt('p', 's', 8, (error) => done(order.push(['scrypt', error])));
  order.push('after');
});
show('order', order);
show('kinds', [Buffer.isBuffer(pbkdf2Sync('p', 's', 1, 8, 'sha1')), hkdfSync('sha1', 'k', 's', 'i', 8) instanceof ArrayBuffer]);
show('pbkdf2', [['a', 'b', 1, 8, 'nope'], ['a', 'b', 1, 8], ['a', 'b', 0, 8, 'sha1'], ['a', 'b', 1, -1, 'sha1'], [5, 'b', 1, 8, 'sha1'], ['a', 'b', 1.5, 8, 'sha1']].map((given) => caught(() => pbkdf2Sync(...given))));
show('no callback', [caught(() => pbkdf2('a', 'b', 1, 8, 'sha1')), caught(() => scrypt('a', 'b', 8))]);
show('scrypt', [{ N: 3 }, { N: 1 << 20 }, { N: 16, cost: 16 }].map((options) => caught(() => scryptSync('a', 'b', 8, options))));
show('hkdf', [['nope', 'a', 'b', 'c', 8], ['sha1', 'a', 'b', 'c', 6000], ['sha1', 5, 'b', 'c', 8], ['sha1', 'a', 'b', Buffer.alloc(1025), 8]].map((given) => caught(() => hkdfSync(...given))));
show('random', [() => crypto.randomBytes(-1), () => crypto.randomBytes('a'), () => crypto.randomBytes(1, 5), () => crypto.randomInt(5, 2), () => crypto.randomInt(0.5), () => crypto.randomInt(2 ** 49), () => crypto.randomFillSync('a'), () => crypto.randomFillSync(Buffer.alloc(4), 5), () => crypto.randomFillSync(Buffer.alloc(4), 0, 5), () => crypto.randomFill(Buffer.alloc(4))].map(caught));
const part = crypto.randomFillSync(Buffer.alloc(40), 8, 16);
show('part', [part.subarray(0, 8).every((byte) => byte === 0), part.subarray(8, 24).some((byte) => byte !== 0), part.subarray(24).every((byte) => byte === 0)]);
show('filled', await new Promise((done) => crypto.randomFill(new Uint16Array(4), 1, 2, (error, array) => done([error, array.length, array[0], array[3]]))));
show('secret', await promisify(crypto.generateKey)('hmac', { length: 64 }).then((key) => [key.type, key.symmetricKeySize]));
