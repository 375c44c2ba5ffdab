// Methods of `Buffer` that read and write numbers, using `DataView`.
import { invalidArgumentType, outOfRange } from '../shared/errors.js';
import { checkNumber, outOfBounds } from './checks.js';

const MAX_BYTES = 6;

/** Name as in `readUInt16LE`, name in `DataView`, size in bytes. */
const KINDS = [
  ['UInt8', 'Uint8', 1],
  ['Int8', 'Int8', 1],
  ['UInt16', 'Uint16', 2],
  ['Int16', 'Int16', 2],
  ['UInt32', 'Uint32', 4],
  ['Int32', 'Int32', 4],
  ['Float', 'Float32', 4],
  ['Double', 'Float64', 8],
  ['BigInt64', 'BigInt64', 8],
  ['BigUInt64', 'BigUint64', 8],
];

const viewOf = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);

function checkPlace(buffer, offset, size) {
  checkNumber(offset, 'offset');
  if (buffer[offset] === undefined || buffer[offset + size - 1] === undefined) throw outOfBounds(offset, buffer.length - size);
}

/** The bounds of an integer, and Node's text for them. */
function bounds(size, isSigned, isBig) {
  const [bits, n] = [size * 8, isBig ? 'n' : ''];
  const power = (exponent) => (isBig ? 2n ** BigInt(exponent) : 2 ** exponent);
  const one = isBig ? 1n : 1;
  const [min, max] = isSigned ? [-power(bits - 1), power(bits - 1) - one] : [power(0) - one, power(bits) - one];
  if (size <= 4) return { min, max, text: `>= ${min} and <= ${max}` };
  const two = `2${n} ** `;
  const text = isSigned ? `>= -(${two}${bits - 1}${n}) and < ${two}${bits - 1}${n}` : `>= 0${n} and < ${two}${bits}${n}`;
  return { min, max, text };
}

function checkValue(value, { min, max, text }) {
  if (value > max || value < min) throw outOfRange('value', text, value);
}

function defineKind(prototype, [name, type, size]) {
  const isFloat = type.startsWith('Float');
  const isBig = type.startsWith('Big');
  const limits = isFloat ? undefined : bounds(size, !/uint/i.test(type), isBig);
  const [get, set] = [DataView.prototype[`get${type}`], DataView.prototype[`set${type}`]];
  for (const order of size === 1 ? [''] : ['LE', 'BE']) {
    const isLittle = order === 'LE';
    const methods = {
      [`read${name}${order}`](offset = 0) {
        checkPlace(this, offset, size);
        return get.call(viewOf(this), offset, isLittle);
      },
      [`write${name}${order}`](value, offset = 0) {
        const number = isBig ? value : +value;
        if (limits) checkValue(number, limits);
        checkPlace(this, offset, size);
        set.call(viewOf(this), offset, number, isLittle);
        return offset + size;
      },
    };
    for (const method of Object.keys(methods)) {
      // Node has aliases of the unsigned ones.
      for (const alias of new Set([method, method.replace('UInt', 'Uint')])) define(prototype, alias, methods[method]);
    }
  }
}

const define = (prototype, name, value) => Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: true });

function checkSize(offset, size) {
  if (offset === undefined) throw invalidArgumentType('offset', 'of type number', offset);
  if (!Number.isInteger(size) || size < 1 || size > MAX_BYTES) throw outOfBounds(size, MAX_BYTES, 'byteLength');
}

/** `readIntLE(offset, byteLength)` and related methods, for one to six bytes. */
function defineSized(prototype, isSigned, isLittle) {
  const suffix = `${isSigned ? 'Int' : 'UInt'}${isLittle ? 'LE' : 'BE'}`;
  const places = (offset, size) => Array.from({ length: size }, (_, index) => offset + (isLittle ? size - 1 - index : index));
  const methods = {
    [`read${suffix}`](offset, size) {
      checkSize(offset, size);
      checkPlace(this, offset, size);
      const value = places(offset, size).reduce((sum, place) => sum * 256 + this[place], 0);
      return isSigned && value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
    },
    [`write${suffix}`](value, offset, size) {
      checkSize(offset, size);
      let rest = +value;
      checkValue(rest, bounds(size, isSigned, false));
      checkPlace(this, offset, size);
      rest = Math.trunc(rest);
      if (rest < 0) rest += 2 ** (size * 8);
      for (const place of places(offset, size).reverse()) {
        this[place] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return offset + size;
    },
  };
  for (const method of Object.keys(methods)) {
    for (const alias of new Set([method, method.replace('UInt', 'Uint')])) define(prototype, alias, methods[method]);
  }
}

export function defineNumbers(prototype) {
  for (const kind of KINDS) defineKind(prototype, kind);
  for (const isSigned of [true, false]) for (const isLittle of [true, false]) defineSized(prototype, isSigned, isLittle);
}
