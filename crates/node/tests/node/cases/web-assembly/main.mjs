// Modules written as bytes: what they import and export, memory, tables, globals, failures.
const add = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11);
console.log(typeof WebAssembly, String(WebAssembly), WebAssembly.validate(add), WebAssembly.validate(add.slice(0, 12)));
const module = new WebAssembly.Module(add);
console.log(WebAssembly.Module.exports(module), WebAssembly.Module.imports(module), module instanceof WebAssembly.Module);
console.log(new WebAssembly.Instance(module).exports.add(2, 40), new WebAssembly.Instance(module, {}).exports.add(2147483647, 1));
const { instance } = await WebAssembly.instantiate(add.buffer);
console.log(instance.exports.add(1, 2), (await WebAssembly.instantiate(await WebAssembly.compile(add))).exports.add(3, 4));

// (import "m" "f" (func (param i32))) (memory (export "mem") 1) (func (export "go") (call 0 (i32.const 7)) (i32.store8 (i32.const 3) (i32.const 9)))
const calls = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 2, 96, 1, 127, 0, 96, 0, 0, 2, 7, 1, 1, 109, 1, 102, 0, 0, 3, 2, 1, 1, 5, 3, 1, 0, 1, 7, 12, 2, 3, 109, 101, 109, 2, 0, 2, 103, 111, 0, 1, 10, 15, 1, 13, 0, 65, 7, 16, 0, 65, 3, 65, 9, 58, 0, 0, 11);
const seen = [];
const { exports } = (await WebAssembly.instantiate(calls, { m: { f: (value) => seen.push(value) } })).instance;
exports.go();
console.log(seen, new Uint8Array(exports.mem.buffer).slice(0, 5), exports.mem.buffer.byteLength, exports.mem.grow(1), exports.mem.buffer.byteLength);
console.log(WebAssembly.Module.imports(new WebAssembly.Module(calls)));

const told = (work) => {
  try {
    work();
  } catch (error) {
    console.log(error instanceof Error, error.name, error.message);
  }
};
told(() => new WebAssembly.Module(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)));
told(() => new WebAssembly.Instance(new WebAssembly.Module(calls)));
told(() => new WebAssembly.Instance(new WebAssembly.Module(calls), { m: {} }));
told(() => new WebAssembly.Module('text'));
console.log(await WebAssembly.compile(Uint8Array.of(1)).catch((error) => error.name), new WebAssembly.Memory({ initial: 1 }).buffer.byteLength);

// Two functions (param i32) (result i32): local.get 0, then memory.fill or memory.copy of constants, then plus one.
const body = (...code) => [code.length, ...code];
const bulk = (...instruction) => body(0, 0x20, 0, 0x41, 20, 0x41, 5, 0x41, 10, 0xfc, ...instruction, 0x41, 1, 0x6a, 0x0b);
const filling = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 3, 2, 0, 0, 5, 3, 1, 0, 1, 7, 9, 2, 1, 102, 0, 0, 1, 99, 0, 1,
  10, ...body(2, ...bulk(11, 0), ...bulk(10, 0, 0)),
);
const { f: fill, c: copy } = new WebAssembly.Instance(new WebAssembly.Module(filling)).exports;
console.log(fill(7), copy(41));
