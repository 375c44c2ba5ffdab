// Values that V8's format cannot hold, and invalid bytes; edge cases of buffers.
import { Buffer } from 'node:buffer';
import v8 from 'node:v8';

const t = (name, run) => {
  try {
    console.log(name, run());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const hex = (value) => v8.serialize(value).toString('hex');
t('blob', () => hex(new Blob(['x'])));
t('generator', () => hex((function* () {})()));
t('shared', () => hex(new SharedArrayBuffer(1)));
t('arguments', () => hex((function () { return arguments; })(1)));
t('function', () => hex({ a() {} }));
t('texts', () => [hex('aé'), hex('€'), hex('x'.repeat(300)).length, hex('€'.repeat(300)).length]);
t('numbers', () => [1, -1, 2 ** 30, -(2 ** 30) - 1, 2 ** 31, 1.5, 123n, -(2n ** 70n)].map((value) => [hex(value), v8.deserialize(v8.serialize(value)) === value]));
const big = Buffer.alloc(3_000_000, 7);
t('big', () => v8.deserialize(v8.serialize({ big })).big.equals(big));
t('many', () => v8.deserialize(v8.serialize(Array.from({ length: 20_000 }, (_, index) => index)))[19_999]);
for (const text of ['', 'ff0f5e05', 'ff0f7a7a7a', 'ff0f5c6305', '68656c6c6f', 'ff0f4f']) t(text, () => v8.deserialize(Buffer.from(text, 'hex')));
t('text', () => v8.deserialize('x'));

t('fill wide', () => Buffer.alloc(6).fill(new Uint16Array([0x1234])));
t('fill', () => [Buffer.alloc(7).fill('abc'), Buffer.alloc(7).fill('abc', 2), Buffer.alloc(5).fill('abcdefgh', 1, 4), Buffer.alloc(9).fill('ab', 1, 8, 'utf16le'), Buffer.alloc(4).fill(new DataView(new ArrayBuffer(2)))]);
t('fill none', () => Buffer.alloc(5, new Uint8Array(0)));
t('hex', () => { const bytes = Buffer.alloc(4); return [bytes.write('abcde', 'hex'), bytes.write('01zz', 2, 'hex'), bytes, bytes.write('0102030405', 1, 'hex'), bytes, bytes.hexWrite('ff', 3)]; });
const wide = Buffer.from('abab', 'utf16le');
t('wide', () => [wide.indexOf('b', 1, 'utf16le'), wide.indexOf('b', 3, 'utf16le'), Buffer.concat([wide, Buffer.from([9])]).lastIndexOf('b', undefined, 'utf16le'), wide.lastIndexOf('a', 5, 'utf16le'), wide.includes('c', 0, 'ucs2')]);
for (const value of [-1.5, -1, -2.5, -256.5, -257.9, 3.7, 65536.5]) t(value, () => { const bytes = Buffer.alloc(6); bytes.writeIntBE(value, 0, 3); bytes.writeIntLE(value, 3, 3); return bytes; });
t('concat', () => [Buffer.concat([], 3), Buffer.concat([Buffer.from('a')], 3)]);
t('copy', () => Buffer.from('abc').copy(new Uint16Array(2)));
const [first, second] = [Buffer.alloc(1000, 3), Buffer.alloc(1000, 3)];
const compared = () => [first.compare(second), first.equals(second), Buffer.compare(first.subarray(1), second.subarray(1)), Buffer.compare(first.subarray(1), second.subarray(2))];
t('same', compared);
for (const place of [0, 7, 8, 503, 999]) t(place, () => { second[place] = 9; const found = compared(); second[place] = 3; return found; });
t('fill places', () => Buffer.alloc(3).fill(1, -1));
t('fill part', () => Buffer.alloc(4).fill(1, 1.5));
t('concat part', () => Buffer.concat([Buffer.from('a')], 1.5));
t('copy bytes', () => [Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1), Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 5), Buffer.copyBytesFrom(new Uint16Array([1, 2]))]);
t('copy bytes before', () => Buffer.copyBytesFrom(new Uint16Array([1]), -1));
t('removed', () => [Buffer.TYPED_ARRAY_SUPPORT, 'TYPED_ARRAY_SUPPORT' in Buffer]);
