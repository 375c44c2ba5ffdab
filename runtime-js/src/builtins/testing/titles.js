// Titles of `test.each`, formatted by Vitest's rules so that test names and snapshot keys are the same.
import { importBuiltin } from 'lmthing:internal/native/modules';

// Loaded for values other than strings and numbers.
const inspect = (value, options) => importBuiltin('lmthing:internal/testing/display').inspect(value, options);
const isPlain = (value) => typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined;

/** Keeps the sign of zero. */
const numeral = (number) => (Object.is(number, -0) ? '-0' : `${number}`);

function asText(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return numeral(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const hasOwnWords = typeof value.toString === 'function' && value.toString !== Object.prototype.toString;
  return hasOwnWords ? value.toString() : inspect(value);
}

function asJson(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return '[Circular]';
  }
}

const FORMATS = {
  s: asText,
  d: (value) => (typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' ? 'NaN' : `${Number(value)}`),
  i: (value) => (typeof value === 'bigint' ? `${value}n` : `${Number.parseInt(String(value), 10)}`),
  f: (value) => numeral(Number.parseFloat(Object.is(value, -0) ? '-0' : String(value))),
  j: asJson,
  o: (value) => inspect(value),
  O: (value) => inspect(value),
  c: () => '',
};

/** The value at the path `a.b.c`; undefined if it does not exist. */
const at = (object, path) => path.split('.').reduce((value, key) => value?.[key], object);

/** A property in a title; long ones are cut as in assertion messages. */
function attribute(values, path, whole) {
  const [first] = values;
  const isObject = first !== null && typeof first === 'object';
  const isIndex = /^\d+$/.test(path);
  if (!isObject && !isIndex) return whole;
  const element = isIndex ? values[path] : undefined;
  const value = isObject && path.split('.')[0] in first ? at(first, path) : element;
  return isPlain(value) ? asText(value) : inspect(value, { truncate: 40 });
}

/** `title` for the row `values` at `index`: replaces `$name` by a property, `%s` and the like in order, `%#`, `%$`. */
export function formatTitle(title, values, index) {
  let next = 0;
  return title.replace(/%[sdifjoOc#$%]|\$([\w$.]+)/g, (mark, path) => {
    if (path !== undefined) return attribute(values, path, mark);
    if (mark === '%%') return '%';
    if (mark === '%#') return `${index}`;
    if (mark === '%$') return `${index + 1}`;
    return FORMATS[mark[1]](values[next++]);
  });
}

/** The rows of a table: arrays are spread; a template's columns become objects. */
export function rowsOf(table, values) {
  if (!Array.isArray(table?.raw)) return [...table].map((row) => (Array.isArray(row) ? row : [row]));
  const names = table.raw[0].trim().split('|').map((name) => name.trim());
  const rows = [];
  for (let begin = 0; begin < values.length; begin += names.length) {
    rows.push([Object.fromEntries(names.map((name, column) => [name, values[begin + column]]))]);
  }
  return rows;
}
