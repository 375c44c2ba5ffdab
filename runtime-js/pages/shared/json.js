// JSON values as lines of colored pieces: short values stay on one line, multi-line strings keep their lines. A line is
// `{indent, pieces}`, a piece `[class, text]`.

const WIDTH = 88;
/** Deeper values are written on one line, so that they cannot exhaust the stack. */
const DEPTH = 60;

export function jsonLines(value) {
  const lines = [{ indent: 0, pieces: [] }];
  const put = (...pieces) => lines.at(-1).pieces.push(...pieces);
  const newLine = (indent) => lines.push({ indent, pieces: [] });
  write(value, 0);
  return lines;

  function write(item, indent) {
    if (typeof item === 'string' && item.includes('\n')) return writeText(item, indent);
    if (typeof item !== 'object' || item === null) return put(scalar(item));
    const short = shortForm(item, WIDTH - indent * 2);
    if (short || indent >= DEPTH) return put(...(short ?? [['punct', Array.isArray(item) ? '[…]' : '{…}']]));
    const isList = Array.isArray(item);
    const entries = isList ? item.map((each) => [null, each]) : Object.entries(item);
    put(['punct', isList ? '[' : '{']);
    entries.forEach(([key, each], index) => {
      newLine(indent + 1);
      if (key !== null) put(['key', JSON.stringify(key)], ['punct', ': ']);
      write(each, indent + 1);
      if (index < entries.length - 1) put(['punct', ',']);
    });
    newLine(indent);
    put(['punct', isList ? ']' : '}']);
  }

  /** A multi-line string, unescaped, on several lines. */
  function writeText(item, indent) {
    put(['punct', '"""']);
    for (const line of item.split('\n')) {
      newLine(indent + 1);
      put(['text', line]);
    }
    newLine(indent);
    put(['punct', '"""']);
  }
}

function scalar(item) {
  return [item === null ? 'null' : typeof item, JSON.stringify(item) ?? String(item)];
}

/** The pieces of a value that fits on one line; null if it does not. */
function shortForm(item, width) {
  const pieces = [];
  let left = width;
  const put = (piece) => {
    pieces.push(piece);
    left -= piece[1].length;
    return left >= 0;
  };
  const write = (each) => {
    if (typeof each === 'string' && (each.includes('\n') || each.length > left)) return false;
    if (typeof each !== 'object' || each === null) return put(scalar(each));
    const isList = Array.isArray(each);
    const entries = isList ? each.map((value) => [null, value]) : Object.entries(each);
    if (entries.length * 2 > left) return false;
    if (!put(['punct', isList ? '[' : entries.length > 0 ? '{ ' : '{'])) return false;
    for (const [index, [key, value]] of entries.entries()) {
      if (index > 0 && !put(['punct', ', '])) return false;
      if (key !== null && !(put(['key', JSON.stringify(key)]) && put(['punct', ': ']))) return false;
      if (!write(value)) return false;
    }
    return put(['punct', isList ? ']' : entries.length > 0 ? ' }' : '}']);
  };
  return write(item) ? pieces : null;
}

/** Parses a text that holds a JSON object or array; returns other values unchanged. */
export function parsed(value) {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export const lineText = ({ indent, pieces }) => '  '.repeat(indent) + pieces.map(([, text]) => text).join('');
