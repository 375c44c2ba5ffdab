// What goes wrong within a module; tables and globals; modules that are cut off.
const section = (id, ...items) => {
  const body = [items.length, ...items.flat()];
  return [id, body.length, ...body];
};
const code = (...bytes) => [bytes.length + 2, 0, ...bytes, 0x0b];
const named = (text, kind, index) => [text.length, ...Buffer.from(text), kind, index];
const MAGIC = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const TYPES = section(1, [0x60, 0, 0], [0x60, 1, 0x7f, 1, 0x7f]);
const bytes = new Uint8Array([
  ...MAGIC, ...TYPES, ...section(2, [1, 0x65, 1, 0x66, 0, 0]), ...section(3, [0], [1], [0], [1], [0]), ...section(4, [0x70, 0, 2]), ...section(5, [0, 1]),
  ...section(7, named('unreachable', 0, 1), named('load', 0, 2), named('deep', 0, 3), named('indirect', 0, 4), named('calls', 0, 5), named('table', 1, 0)),
  ...section(10, code(0), code(0x20, 0, 0x28, 2, 0), code(0x10, 3), code(0x41, 5, 0x20, 0, 0x11, 1, 0), code(0x10, 0)),
]);
const fails = (run) => {
  try {
    return run();
  } catch (error) {
    return [error?.name, error?.message, error instanceof WebAssembly.RuntimeError, error instanceof WebAssembly.CompileError];
  }
};
let thrown;
const imports = { e: { f() { throw thrown; } } };
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
const { table } = exports;
console.log(Object.entries(exports).map(([name, item]) => [name, item.name, item.length]));
for (const [name, value] of [['unreachable'], ['load', 65536], ['load', -1], ['load', 0], ['indirect', 0], ['indirect', 7], ['deep', 0]]) console.log(name, value, fails(() => exports[name](value)));
for (thrown of [new TypeError('not a function'), new RangeError('out of bound'), 'text', null]) console.log(fails(() => exports.calls()) ?? 'null');
table.set(0, exports.load);
console.log(table.get(0) === exports.load, table.get(1), fails(() => exports.indirect(0)), fails(() => table.set(0, () => {}))[0]);
console.log(table.grow(1), table.length, table.get(2), table.grow(1, exports.load), table.get(3) === exports.load);
table.set(0);
console.log(table.get(0), table instanceof WebAssembly.Table);
const own = new WebAssembly.Table({ initial: 1, element: 'anyfunc' });
own.grow(1);
own.set(1, exports.load);
console.log(own.length, own.get(0), own.get(1) === exports.load, WebAssembly.Table.name, fails(() => WebAssembly.Table({ initial: 1, element: 'anyfunc' }))[0]);

const start = new Uint8Array([...MAGIC, ...TYPES, ...section(3, [0]), 8, 1, 0, ...section(10, code(0))]);
console.log(fails(() => new WebAssembly.Instance(new WebAssembly.Module(start))));

for (const [value, initial, later] of [['i32', 3.7, 2 ** 32 + 5], ['i32', undefined, '7'], ['i64', 2n ** 64n + 1n, -1n], ['i64', undefined, 5n], ['f32', 1.1, 2.2], ['f64', '1.5', null]]) {
  const global = new WebAssembly.Global({ value, mutable: true }, initial);
  const first = global.value;
  global.value = later;
  console.log(value, first, global.value);
}
console.log(fails(() => new WebAssembly.Global({ value: 'i64' }, 5))[0], fails(() => new WebAssembly.Global({ value: 'zz' })));

// The last function continues past the end of its section; the section is missing; a byte is left.
const last = bytes.length - 1;
const beyond = bytes.slice();
beyond[bytes.lastIndexOf(4)] = 40;
for (const broken of [bytes.subarray(0, last), bytes.subarray(0, bytes.length - 40), beyond]) console.log(fails(() => new WebAssembly.Module(broken)).slice(2), WebAssembly.validate(broken));
