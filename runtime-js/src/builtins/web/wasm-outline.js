// Reads imports and exports of a WebAssembly module, and checks whether its code can run here. polywasm compiles
// functions on their first call, which is too late for programs that test for a feature and have a fallback.

const KINDS = ['function', 'table', 'memory', 'global'];
const SECTIONS = { custom: 0, import: 2, function: 3, export: 7, code: 10 };
const VECTOR_TYPE = 0x7b;
const TABLES_AND_MEMORY = 0xfc;

/** Immediates of an instruction: the number of LEB128 numbers, or a special form. */
const UNKNOWN = 255;
const [MEMORY_ACCESS, JUMP_TABLE, TYPE_LIST, FOUR_BYTES, EIGHT_BYTES, PREFIXED] = [10, 11, 12, 13, 14, 15];
const FORMS = new Uint8Array(256).fill(UNKNOWN);
const form = (first, last, value) => FORMS.fill(value, first, last + 1);
form(0x00, 0x01, 0);
form(0x02, 0x04, 1);
FORMS[0x05] = 0;
FORMS[0x0b] = 0;
form(0x0c, 0x0d, 1);
FORMS[0x0e] = JUMP_TABLE;
FORMS[0x0f] = 0;
FORMS[0x10] = 1;
FORMS[0x11] = 2;
FORMS[0x12] = 1;
FORMS[0x13] = 2;
form(0x1a, 0x1b, 0);
FORMS[0x1c] = TYPE_LIST;
form(0x20, 0x26, 1);
form(0x28, 0x3e, MEMORY_ACCESS);
form(0x3f, 0x42, 1);
FORMS[0x43] = FOUR_BYTES;
FORMS[0x44] = EIGHT_BYTES;
form(0x45, 0xc4, 0);
FORMS[0xd0] = 1;
FORMS[0xd1] = 0;
FORMS[0xd2] = 1;
FORMS[TABLES_AND_MEMORY] = PREFIXED;
const PREFIXED_FORMS = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
  }

  number() {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = this.bytes[this.at++];
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte & 0x80);
    if (byte === undefined) throw new Error(`reached end while reading a number @+${this.bytes.length}`);
    return value >>> 0;
  }

  skipNumbers(count) {
    for (let left = count; left > 0; left--) while (this.bytes[this.at++] & 0x80);
  }

  text() {
    const size = this.number();
    this.at += size;
    return new TextDecoder().decode(this.bytes.subarray(this.at - size, this.at));
  }
}

function unsupported(index, what, at) {
  const part = what === 0xfd || what === VECTOR_TYPE ? 'SIMD' : `the instruction 0x${what.toString(16)}`;
  return new Error(`Compiling function #${index} failed: lmthing's WebAssembly has no ${part} @+${at}`);
}

function checkInstructions(reader, end, index) {
  const { bytes } = reader;
  while (reader.at < end) {
    const code = bytes[reader.at++];
    const kind = FORMS[code];
    if (kind < MEMORY_ACCESS) reader.skipNumbers(kind);
    else if (kind === MEMORY_ACCESS) reader.skipNumbers(bytes[reader.at] & 0x40 ? 3 : 2);
    else if (kind === JUMP_TABLE) reader.skipNumbers(reader.number() + 1);
    else if (kind === TYPE_LIST) reader.skipNumbers(reader.number());
    else if (kind === FOUR_BYTES) reader.at += 4;
    else if (kind === EIGHT_BYTES) reader.at += 8;
    else if (kind === PREFIXED && bytes[reader.at] < PREFIXED_FORMS.length) reader.skipNumbers(PREFIXED_FORMS[bytes[reader.at++]]);
    else throw unsupported(index, code, reader.at - 1);
  }
}

function checkCode(reader, imported, sectionEnd) {
  for (let left = reader.number(), index = imported; left > 0; left--, index++) {
    const size = reader.number();
    const end = reader.at + size;
    if (end > sectionEnd) throw new Error(`Compiling function #${index} failed: its body extends past end of the section @+${reader.at}`);
    for (let locals = reader.number(); locals > 0; locals--) {
      reader.number();
      if (reader.bytes[reader.at++] === VECTOR_TYPE) throw unsupported(index, VECTOR_TYPE, reader.at - 1);
    }
    checkInstructions(reader, end, index);
    reader.at = end;
  }
}

function readImports(reader) {
  const imports = [];
  for (let left = reader.number(); left > 0; left--) {
    const [module, name] = [reader.text(), reader.text()];
    const kind = KINDS[reader.number()];
    if (kind === 'function') reader.number();
    if (kind === 'table' || kind === 'global') reader.at += 1;
    if (kind === 'global') reader.at += 1;
    if (kind === 'table' || kind === 'memory') reader.skipNumbers(reader.number() & 1 ? 2 : 1);
    imports.push({ module, name, kind });
  }
  return imports;
}

function readExports(reader) {
  const exports = [];
  for (let left = reader.number(); left > 0; left--) {
    const name = reader.text();
    exports.push({ name, kind: KINDS[reader.number()], index: reader.number() });
  }
  return exports;
}

const MAGIC = [0, 0x61, 0x73, 0x6d];
const hexadecimal = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

/** Returns `{imports, exports, custom}`. Throws for an invalid module and for unsupported code. */
export function outline(bytes) {
  if (bytes.length === 0) throw new Error('BufferSource argument is empty');
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) throw new Error(`expected magic word 00 61 73 6d, found ${hexadecimal(bytes.subarray(0, 4))} @+0`);
  const found = { imports: [], exports: [], custom: [] };
  const reader = new Reader(bytes);
  reader.at = 8;
  let declared = 0;
  let hasCode = false;
  while (reader.at < bytes.length) {
    const id = reader.number();
    const size = reader.number();
    const end = reader.at + size;
    if (end > bytes.length) throw new Error(`section (code ${id}) extends past end of the module @+${reader.at}`);
    if (id === SECTIONS.import) found.imports = readImports(reader);
    if (id === SECTIONS.function) declared = reader.number();
    if (id === SECTIONS.export) found.exports = readExports(reader);
    hasCode ||= id === SECTIONS.code;
    if (id === SECTIONS.code) checkCode(reader, found.imports.filter(({ kind }) => kind === 'function').length, end);
    if (id === SECTIONS.custom) found.custom.push({ name: reader.text(), data: bytes.subarray(reader.at, end) });
    if (reader.at > end && id !== SECTIONS.custom) throw new Error(`section (code ${id}) was shorter than what it holds @+${end}`);
    reader.at = end;
  }
  if (declared > 0 && !hasCode) throw new Error(`function count is ${declared}, but code section is absent @+${bytes.length}`);
  return found;
}
