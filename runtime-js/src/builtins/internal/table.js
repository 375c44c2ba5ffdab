// console.table in Node's layout: left-aligned cells in a box.

const INDEX = '(index)';
const ITERATION_INDEX = '(iteration index)';
const KEY = 'Key';
const VALUES = 'Values';

/** Columns on screen: wide characters take two, combining marks none. */
function width(text) {
  let columns = 0;
  for (const character of text.normalize('NFC')) {
    const code = character.codePointAt(0);
    if (/\p{Mark}|\p{Cf}/u.test(character)) continue;
    columns += isWide(code) ? 2 : 1;
  }
  return columns;
}

function isWide(code) {
  return (
    code >= 0x1100 &&
    (code <= 0x115f ||
      (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0xffe0 && code <= 0xffe6) ||
      (code >= 0x1f300 && code <= 0x1faff) ||
      (code >= 0x20000 && code <= 0x3fffd))
  );
}

function render(head, columns) {
  const rowCount = Math.max(0, ...columns.map((column) => column.length));
  const cell = (column, row) => (Object.hasOwn(column, row) ? column[row] : '');
  const widths = head.map((title, i) => {
    let widest = width(title);
    for (let row = 0; row < rowCount; row++) widest = Math.max(widest, width(cell(columns[i], row)));
    return widest + 2;
  });
  const rule = (left, middle, right) => left + widths.map((columnWidth) => '─'.repeat(columnWidth)).join(middle) + right;
  const row = (cells) =>
    `│${cells.map((text, i) => ` ${text}${' '.repeat(widths[i] - width(text) - 1)}`).join('│')}│`;
  const lines = [rule('┌', '┬', '┐'), row(head), rule('├', '┼', '┤')];
  for (let i = 0; i < rowCount; i++) lines.push(row(columns.map((column) => cell(column, i))));
  lines.push(rule('└', '┴', '┘'));
  return lines.join('\n');
}

export function renderTable(data, properties, inspect) {
  const show = (value) => {
    const depth = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0;
    return inspect(value, { maxArrayLength: 3, breakLength: Infinity, colors: false, depth });
  };
  if (data instanceof Map) {
    const entries = [...data];
    return render(
      [ITERATION_INDEX, KEY, VALUES],
      [entries.map((_, i) => `${i}`), entries.map(([key]) => show(key)), entries.map(([, value]) => show(value))],
    );
  }
  const isIterable = data instanceof Set || Object.prototype.toString.call(data).endsWith('Iterator]');
  const rows = isIterable ? [...data].entries() : Object.entries(data);
  return renderRows([...rows], isIterable ? ITERATION_INDEX : INDEX, properties, show, isIterable);
}

function renderRows(rows, indexTitle, properties, show, valuesOnly) {
  const indexes = rows.map(([index]) => `${index}`);
  if (valuesOnly) return render([indexTitle, VALUES], [indexes, rows.map(([, value]) => show(value))]);
  const columns = new Map();
  const values = [];
  let hasPrimitives = false;
  rows.forEach(([, row], i) => {
    const isPrimitive = row === null || (typeof row !== 'object' && typeof row !== 'function');
    if (isPrimitive) {
      hasPrimitives = true;
      values[i] = show(row);
      return;
    }
    for (const key of properties ?? Object.keys(row)) {
      if (!columns.has(key)) columns.set(key, []);
      if (Object.hasOwn(row, key)) columns.get(key)[i] = show(row[key]);
    }
  });
  const head = [indexTitle, ...columns.keys()];
  const cells = [indexes, ...columns.values()];
  if (hasPrimitives) {
    head.push(VALUES);
    cells.push(values);
  }
  return render(head, cells);
}
