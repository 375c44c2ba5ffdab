// Decimal numbers of any size: `{negative, digits, point, special}` is 0.digits × 10^point. Rounding works on the
// digits.

/** Parses a number, BigInt or string; strings may have more digits than a number. */
export function toDecimal(value) {
  if (typeof value === 'bigint') return fromText(String(value));
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return { negative: false, digits: '', point: 0, special: 'nan' };
    const negative = value < 0 || Object.is(value, -0);
    if (!Number.isFinite(value)) return { negative, digits: '', point: 0, special: 'infinity' };
    return { ...fromText(String(Math.abs(value))), negative };
  }
  return fromText(value);
}

/** The argument of `format`: BigInts and strings keep all digits. */
export function toNumeric(value) {
  const primitive = typeof value === 'object' && value !== null ? toPrimitive(value) : value;
  if (typeof primitive === 'bigint') return toDecimal(primitive);
  if (typeof primitive !== 'string') return toDecimal(Number(primitive));
  const text = primitive.trim();
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return fromText(text.replace(/^\+/, ''));
  return toDecimal(Number(text));
}

function toPrimitive(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return convert.call(value, 'number');
  const plain = value.valueOf();
  return typeof plain === 'object' && plain !== null ? String(value) : plain;
}

function fromText(text) {
  const negative = text.startsWith('-');
  const [, integer, fraction = '', exponent = '0'] = /^-?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  return normal(negative, integer + fraction, integer.length + Number(exponent));
}

function normal(negative, all, point) {
  const leading = /^0*/.exec(all)[0].length;
  const digits = all.slice(leading).replace(/0+$/, '');
  return { negative, digits, point: digits === '' ? 0 : point - leading, special: undefined };
}

export const isZero = (decimal) => decimal.digits === '' && !decimal.special;

/** `decimal × 10^shift`. */
export const shifted = (decimal, shift) => (decimal.digits === '' ? decimal : { ...decimal, point: decimal.point + shift });

/** The power of ten of the first digit. */
export const magnitudeOf = (decimal) => (decimal.digits === '' ? 0 : decimal.point - 1);

/** Whether to increment. `half` compares the cut digits with a half: -1, 0, 1. */
function roundsUp(mode, negative, half, isOdd) {
  switch (mode) {
    case 'ceil': return !negative;
    case 'floor': return negative;
    case 'expand': return true;
    case 'trunc': return false;
    case 'halfCeil': return half > 0 || (half === 0 && !negative);
    case 'halfFloor': return half > 0 || (half === 0 && negative);
    case 'halfTrunc': return half > 0;
    case 'halfEven': return half > 0 || (half === 0 && isOdd);
    default: return half >= 0;
  }
}

/** Rounds to a multiple of `increment × 10^magnitude`. */
export function roundTo(decimal, magnitude, mode = 'halfExpand', increment = 1) {
  const { negative, digits, point } = decimal;
  const count = point - magnitude;
  if (digits === '' || (increment === 1 && digits.length <= count)) return decimal;
  const kept = count > 0 ? digits.slice(0, count).padEnd(count, '0') : '0';
  const cut = count >= 0 ? digits.slice(count) : '0'.repeat(-count) + digits;
  let value = BigInt(kept);
  const step = BigInt(increment);
  const over = value % step;
  const hasRest = /[1-9]/.test(cut);
  if (over === 0n && !hasRest) return decimal;
  let half;
  if (increment === 1) {
    const first = cut.charCodeAt(0) - 48;
    half = first > 5 ? 1 : first < 5 ? -1 : /[1-9]/.test(cut.slice(1)) ? 1 : 0;
  } else {
    const twice = over * 2n;
    half = twice > step ? 1 : twice < step ? -1 : hasRest ? 1 : 0;
    if (twice + 1n === step && hasRest) half = compareWithHalf(cut);
  }
  const base = value - over;
  value = roundsUp(mode, negative, half, (base / step) % 2n === 1n) ? base + step : base;
  const text = String(value);
  return normal(negative, text, text.length + magnitude);
}

function compareWithHalf(cut) {
  const first = cut.charCodeAt(0) - 48;
  return first > 5 ? 1 : first < 5 ? -1 : /[1-9]/.test(cut.slice(1)) ? 1 : 0;
}

/** The digits to show, `{negative, special, integer, fraction, isZero}`, by the options of `number-options.js`. */
export function rounded(decimal, options) {
  return shown(round(decimal, options), options);
}

/** Rounds by the options; returns a decimal and the minimal number of fraction digits. */
export function round(decimal, options) {
  if (decimal.special) return decimal;
  const { rounding, minimumFraction, maximumFraction, minimumSignificant, maximumSignificant, mode, increment } = options;
  const bySignificant = () => magnitudeOf(decimal) - maximumSignificant + 1;
  let magnitude;
  let least;
  const leastBySignificant = (result) => Math.max(0, minimumSignificant - 1 - magnitudeOf(result));
  if (rounding === 'fraction') {
    [magnitude, least] = [-maximumFraction, () => minimumFraction];
  } else if (rounding === 'significant') {
    [magnitude, least] = [bySignificant(), leastBySignificant];
  } else {
    const takeSignificant = rounding === 'more' ? bySignificant() <= -maximumFraction : bySignificant() > -maximumFraction;
    [magnitude, least] = takeSignificant ? [bySignificant(), leastBySignificant] : [-maximumFraction, () => minimumFraction];
  }
  const result = roundTo(decimal, magnitude, mode, increment);
  return { ...result, least: least(result) };
}

/** The digits of a rounded decimal as written. */
export function shown(decimal, { minimumInteger = 1, stripZeros = false }) {
  const { negative, special, digits, point, least = 0 } = decimal;
  if (special) return { negative, special, integer: '', fraction: '', isZero: false };
  const integer = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '';
  let fraction = (point < 0 ? '0'.repeat(-point) : '') + digits.slice(Math.max(point, 0));
  if (!(stripZeros && fraction === '')) fraction = fraction.padEnd(least, '0');
  return { negative, special, integer: integer.padStart(minimumInteger, '0'), fraction, isZero: digits === '' };
}
