// Skeletons: the fields of a date pattern and their widths, without order and literals. Numbers as in ICU's
// DateTimePatternGenerator, so that the same patterns are selected.

export const [ERA, YEAR, QUARTER, MONTH, WEEK_OF_YEAR, WEEK_OF_MONTH, WEEKDAY, DAY_OF_YEAR, DAY_OF_WEEK_IN_MONTH, DAY, DAY_PERIOD, HOUR, MINUTE, SECOND, FRACTION, ZONE] = Array(16).keys();
export const FIELD_COUNT = 16;

const NARROW = -0x101;
const SHORTER = -0x102;
const SHORT = -0x103;
const LONG = -0x104;
const NUMERIC = 0x100;
const DELTA = 0x10;

/** Rows of minimal width and type for the letters of one field; the difference of two types is their distance. */
const text = (field, shift, leastOfShort = 3) => ({ field, rows: [[leastOfShort, SHORT + shift], [4, LONG + shift], [5, NARROW + shift]] });
const numeric = (field, shift = 0) => ({ field, rows: [[1, NUMERIC + shift]] });
const both = (field, shift) => ({ field, rows: [[1, NUMERIC + Math.abs(shift)], ...text(field, shift).rows] });

const LETTERS = {
  G: text(ERA, 0, 1),
  y: numeric(YEAR), Y: numeric(YEAR, DELTA), u: numeric(YEAR, 2 * DELTA), r: numeric(YEAR, 3 * DELTA), U: text(YEAR, 0, 1),
  Q: both(QUARTER, 0), q: both(QUARTER, -DELTA),
  M: both(MONTH, 0), L: both(MONTH, -DELTA),
  w: numeric(WEEK_OF_YEAR), W: numeric(WEEK_OF_MONTH),
  E: { field: WEEKDAY, rows: [...text(WEEKDAY, 0, 1).rows, [6, SHORTER]] },
  c: { field: WEEKDAY, rows: [[1, NUMERIC + 2 * DELTA], ...text(WEEKDAY, -2 * DELTA).rows, [6, SHORTER - 2 * DELTA]] },
  e: { field: WEEKDAY, rows: [[1, NUMERIC + DELTA], ...text(WEEKDAY, -DELTA).rows, [6, SHORTER - DELTA]] },
  d: numeric(DAY), g: numeric(DAY, DELTA), D: numeric(DAY_OF_YEAR), F: numeric(DAY_OF_WEEK_IN_MONTH),
  a: text(DAY_PERIOD, 0, 1), b: text(DAY_PERIOD, -DELTA, 1), B: text(DAY_PERIOD, -3 * DELTA, 1),
  H: numeric(HOUR, 10 * DELTA), k: numeric(HOUR, 11 * DELTA), h: numeric(HOUR), K: numeric(HOUR, DELTA),
  m: numeric(MINUTE), s: numeric(SECOND), A: numeric(SECOND, DELTA), S: numeric(FRACTION),
  v: { field: ZONE, rows: [[1, SHORT - 2 * DELTA], [4, LONG - 2 * DELTA]] },
  z: { field: ZONE, rows: [[1, SHORT], [4, LONG]] },
  Z: { field: ZONE, rows: [[1, NARROW - DELTA], [4, LONG - DELTA], [5, SHORT - DELTA]] },
  O: { field: ZONE, rows: [[1, SHORT - DELTA], [4, LONG - DELTA]] },
  V: { field: ZONE, rows: [[1, SHORT - DELTA], [2, LONG - DELTA], [3, LONG - 1 - DELTA], [4, LONG - 2 - DELTA]] },
  X: { field: ZONE, rows: [[1, NARROW - DELTA], [2, SHORT - DELTA], [4, LONG - DELTA]] },
  x: { field: ZONE, rows: [[1, NARROW - DELTA], [2, SHORT - DELTA], [4, LONG - DELTA]] },
};

/** Undefined for a letter that is no field. */
export const fieldOf = (letter) => LETTERS[letter]?.field;

/** `{field, type, base}` of a field; `base` is the shortest text of the same row. */
export function describeField(text) {
  const letter = text[0];
  const entry = LETTERS[letter];
  if (entry === undefined) return undefined;
  let [least, type] = entry.rows[0];
  for (const row of entry.rows) if (row[0] <= text.length) [least, type] = row;
  return { field: entry.field, type: type > 0 ? type + text.length : type, base: letter.repeat(least), isNumeric: type > 0 };
}

const tokens = new Map();
/** A pattern as fields (`{text, letter}`) and literals (`{literal}`). */
export function tokenize(pattern) {
  let result = tokens.get(pattern);
  if (result === undefined) {
    result = [];
    for (const [piece, quoted, field] of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
      if (field !== undefined) result.push({ text: piece, letter: field });
      else appendLiteral(result, quoted === undefined ? piece : quoted === '' ? "'" : quoted.replaceAll("''", "'"));
    }
    tokens.set(pattern, result);
  }
  return result;
}

function appendLiteral(result, literal) {
  const last = result.at(-1);
  if (last?.literal !== undefined) result[result.length - 1] = { literal: last.literal + literal };
  else result.push({ literal });
}

/** The inverse of `tokenize`. */
export function untokenize(parts) {
  return parts.map(({ text, literal }) => text ?? quote(literal)).join('');
}

const quote = (literal) => (/[A-Za-z']/.test(literal) ? `'${literal.replaceAll("'", "''")}'` : literal);

/** The skeleton of a pattern: by field its text, base form and type. */
export function skeletonOf(pattern) {
  const skeleton = { original: [], base: [], type: new Array(FIELD_COUNT).fill(0) };
  for (const { text } of tokenize(pattern)) {
    if (text !== undefined) put(skeleton, text);
  }
  // Minutes and fractions imply seconds.
  if (skeleton.type[MINUTE] && skeleton.type[FRACTION] && !skeleton.type[SECOND]) put(skeleton, 's');
  if (skeleton.type[HOUR]) {
    if ('hK'.includes(skeleton.original[HOUR][0])) {
      if (!skeleton.type[DAY_PERIOD]) {
        put(skeleton, 'a');
        skeleton.addedDayPeriod = true;
      }
    } else {
      skeleton.original[DAY_PERIOD] = skeleton.base[DAY_PERIOD] = undefined;
      skeleton.type[DAY_PERIOD] = 0;
    }
  }
  return skeleton;
}

function put(skeleton, text) {
  const found = describeField(text);
  if (found === undefined) return;
  skeleton.original[found.field] = text;
  skeleton.base[found.field] = found.base;
  skeleton.type[found.field] = found.type;
}

export const baseText = (skeleton) => skeleton.base.filter(Boolean).join('');
export const originalText = (skeleton) => skeleton.original.filter(Boolean).join('');

/** A pattern's skeleton as text, without the day period of a 12-hour clock. */
export function plainSkeleton(pattern) {
  const skeleton = skeletonOf(pattern);
  if (skeleton.addedDayPeriod) skeleton.original[DAY_PERIOD] = undefined;
  return originalText(skeleton);
}
