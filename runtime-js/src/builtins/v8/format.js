// Tags of V8's serialization format.

export const HEADER = 0xff;
export const VERSION = 15;
const letter = (character) => character.charCodeAt(0);

export const TAG = {
  undefined: letter('_'), null: letter('0'), true: letter('T'), false: letter('F'), hole: letter('-'), integer: letter('I'), double: letter('N'),
  bigint: letter('Z'), latin1: letter('"'), utf16: letter('c'), reference: letter('^'), object: letter('o'), endObject: letter('{'),
  dense: letter('A'), endDense: letter('$'), sparse: letter('a'), endSparse: letter('@'), date: letter('D'), trueObject: letter('y'),
  falseObject: letter('x'), numberObject: letter('n'), bigintObject: letter('z'), stringObject: letter('s'), regexp: letter('R'),
  map: letter(';'), endMap: letter(':'), set: letter("'"), endSet: letter(','), buffer: letter('B'), error: letter('r'), host: letter('\\'), padding: 0,
};

/** Within an error. */
export const ERROR = { message: letter('m'), cause: letter('c'), stack: letter('s'), end: letter('.') };
export const ERROR_TYPES = { E: EvalError, R: RangeError, F: ReferenceError, S: SyntaxError, T: TypeError, U: URIError };

export const FLAGS = { g: 1, i: 2, m: 4, y: 8, u: 16, s: 32, d: 128, v: 256 };

/** Typed arrays in the order of Node's numbers. */
export const VIEWS = () => [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, DataView, globalThis.Buffer, BigInt64Array, BigUint64Array];
