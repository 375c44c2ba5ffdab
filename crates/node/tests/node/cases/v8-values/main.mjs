// Values as V8 writes them, byte for byte, and back.
import v8 from "node:v8";
import { inspect } from "node:util";

const cyclic = { name: 'loop' };
cyclic.list = [cyclic];
const values = [
  { a: 1, 5: 'five' }, 'é', '€uro', [1, , 3], [undefined, null, true], new Array(5), 1.5, -0, -5, 2 ** 31, 5n, -(2n ** 70n),
  new Map([[1, new Set(['x'])]]), new Date(5), /a€/gi, Buffer.from('xyz'), new Uint16Array([1, 2]), new ArrayBuffer(3), Object(1), Object('s'),
  cyclic, Object.assign([1], { k: 2 }),
];
for (const value of values) {
  const bytes = v8.serialize(value);
  console.log(bytes.toString('hex'), inspect(v8.deserialize(bytes)));
}
for (const value of [() => {}, { f: Symbol('s') }]) {
  try {
    v8.serialize(value);
  } catch (error) {
    console.log(error.message);
  }
}
