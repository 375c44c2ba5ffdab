// What the methods of Buffer refuse, and what they take besides.
import { transcode, constants, resolveObjectURL } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

const t = (name, fn) => {
  const told = (error) => [error?.name, error?.code, error?.message];
  const say = (value) => console.log(`${name}:`, typeof value === "string" ? value : JSON.stringify(value, (_, x) => (typeof x === "bigint" ? `${x}n` : x)));
  let value;
  try {
    value = fn();
  } catch (error) {
    return say(told(error));
  }
  return typeof value?.then === "function" ? value.then(say, (error) => say(told(error))) : say(value);
};
const buffer = (text) => Buffer.from(text);
t('alloc', () => Buffer.alloc(-1));
t('alloc type', () => Buffer.alloc('x'));
for (const value of [{}, null, 5n, true, undefined, Symbol('x')]) t('from', () => Buffer.from(value));
t('from part', () => Buffer.from(new ArrayBuffer(4), 9));
t('from object', () => [Buffer.from(new String('x')), Buffer.from({ [Symbol.toPrimitive]: () => 'p' }), Buffer.from({ length: 1, 0: 7 })]);
t('write value', () => Buffer.alloc(2).writeUInt8(300));
t('write large', () => Buffer.alloc(8).writeUIntBE(2 ** 49, 0, 6));
t('write big', () => Buffer.alloc(8).writeBigInt64LE(1n << 70n));
t('write offset', () => Buffer.alloc(2).writeUInt8(3, 5));
t('read', () => Buffer.alloc(2).readUInt32LE(0));
t('read fraction', () => Buffer.alloc(2).readInt8(1.5));
t('read type', () => Buffer.alloc(2).readInt8('1'));
t('read sized', () => Buffer.alloc(8).readIntLE(0, 7));
t('numbers', () => {
  const bytes = Buffer.alloc(8);
  return [bytes.writeIntLE(-1234567, 0, 6), bytes.readIntLE(0, 6), bytes.readUIntBE(0, 6), bytes.writeDoubleBE(0.1), bytes.toString('hex'), bytes.readBigUint64BE()];
});
t('plain bytes', () => [Buffer.compare(new Uint8Array([1]), buffer('b')), buffer('a').equals(new Uint8Array([97])), Buffer.concat([new Uint8Array([1]), buffer('b')], 4)]);
t('compare', () => Buffer.compare('a', buffer('a')));
t('equals', () => buffer('a').equals('a'));
t('concat', () => Buffer.concat([1]));
t('indexOf', () => buffer('a').indexOf({}));
t('found', () => [buffer('abcabc').lastIndexOf('b', 3), buffer('abc').indexOf('c', NaN), Buffer.from('ab', 'utf16le').indexOf('b', 0, 'utf16le'), buffer('abc').indexOf('', 2)]);
t('write', () => [Buffer.alloc(2).write('é€'), Buffer.alloc(4).write('zz', 1, 'latin1')]);
t('write outside', () => Buffer.alloc(2).write('x', 5));
t('write encoding', () => Buffer.alloc(2).write('x', 'nope'));
t('fill', () => [Buffer.alloc(4).fill('ab'), Buffer.alloc(4).fill('YQ==', 'base64'), Buffer.alloc(3, 257)]);
t('fill nothing', () => Buffer.alloc(4).fill('zz', 'hex'));
t('fill end', () => Buffer.alloc(4).fill('a', 1, 9));
t('copy', () => buffer('a').copy(Buffer.alloc(1), -1));
t('swap', () => buffer('abc').swap16());
t('transcode', () => transcode(buffer('€é'), 'utf8', 'latin1').toString('latin1'));
t('slices', () => [buffer('hé').utf8Slice(1), buffer('hi').hexSlice(), Buffer.byteLength('YQ==', 'base64'), Buffer.of(1, 300)]);
t('constants', () => [constants.MAX_LENGTH, constants.MAX_STRING_LENGTH]);
console.log(Object.assign(buffer('x'.repeat(60)), { extra: 1 }), [buffer('')]);
t('decoder', () => new StringDecoder('nope'));
t('decoder input', () => new StringDecoder().write(5));
await t('object URL', async () => {
  const address = URL.createObjectURL(new Blob(['q']));
  const texts = [await resolveObjectURL(address).text(), await (await fetch(address)).text()];
  URL.revokeObjectURL(address);
  return [...texts, resolveObjectURL(address) === undefined];
});
