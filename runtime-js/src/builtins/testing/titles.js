// The titles of `test.each`: rows put into a title as Vitest does it.
import { importBuiltin } from 'lmthing:internal/native/modules';

const shown = (value) => (typeof value === 'string' ? value : importBuiltin('lmthing:internal/inspect').inspect(value, { depth: 1, breakLength: Infinity }));

/** The value at `a.b.c`; undefined where the way ends. */
const at = (object, path) => path.split('.').reduce((value, key) => value?.[key], object);

/** `title` for the row `values` with the number `index`: `$name` for what an object holds, `%s` and its relatives in order, `%#`, `%$`. */
export function formatTitle(title, values, index) {
  const [first] = values;
  let text = title;
  if (first !== null && typeof first === 'object') {
    text = text.replace(/\$([\w$]+(?:\.[\w$]+)*)/g, (whole, path) => (path.split('.')[0] in first ? shown(at(first, path)) : whole));
  }
  let next = 0;
  return text.replace(/%[sdifjoO#$%]/g, (mark) => {
    if (mark === '%%') return '%';
    if (mark === '%#') return `${index}`;
    if (mark === '%$') return `${index + 1}`;
    if (next >= values.length) return mark;
    const value = values[next++];
    switch (mark) {
      case '%s':
        return typeof value === 'object' && value !== null ? shown(value) : String(value);
      case '%d':
      case '%f':
        return typeof value === 'bigint' ? `${value}n` : `${Number(value)}`;
      case '%i':
        return typeof value === 'bigint' ? `${value}n` : `${Number.parseInt(value, 10)}`;
      case '%j':
        return JSON.stringify(value) ?? 'undefined';
      default:
        return shown(value);
    }
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
