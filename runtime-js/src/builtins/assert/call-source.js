// The text of the call that failed, for `assert.ok(a && b)` without a message: read from the file the stack names.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FRAME = /(?:\(|at )((?:file:\/\/|\/|[A-Za-z]:)[^()]*):(\d+):(\d+)\)?$/;
const OPENING = '([{';
const CLOSING = ')]}';

/** Where a quoted text that starts at `index` is over. */
function skipQuoted(text, index) {
  const quote = text[index];
  for (index++; index < text.length && text[index] !== quote; index++) if (text[index] === '\\') index++;
  return index;
}

/** The end of the call whose `(` is the first one after `start`; -1 when the text ends before. */
function endOfCall(text, start) {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (`'"\``.includes(character)) index = skipQuoted(text, index);
    else if (text.startsWith('//', index)) index = text.indexOf('\n', index);
    else if (text.startsWith('/*', index)) index = text.indexOf('*/', index) + 1;
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character) && --depth <= 0) return index + 1;
    if (index < 0) return -1;
  }
  return -1;
}

/** `assert.ok(x)` as it is written at the place where `error` left the program's code; undefined if it cannot be told. */
export function callSource(error) {
  const frame = String(error.stack).split('\n').find((line) => /^\s+at /.test(line) && !/\(?(node|lmthing):/.test(line));
  const [, file, line, column] = FRAME.exec(frame ?? '') ?? [];
  if (!file) return undefined;
  try {
    const lines = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8').split('\n').slice(line - 1);
    const before = lines[0].slice(0, column - 1);
    // The engine tells the place of a method's name, but of a plain call one behind it.
    const start = (/[\w$]+\.[\w$.]*$/.exec(before) ?? /[\w$.]+\s*\([^()]*$/.exec(before) ?? { index: column - 1 }).index;
    const text = lines.join('\n');
    const end = endOfCall(text, start);
    if (end < 0 || !/^[\w$.]+\s*\(/.test(text.slice(start))) return undefined;
    const indentation = new RegExp(`\\n {0,${start}}`, 'g');
    return text.slice(start, end).replace(indentation, '\n');
  } catch {
    return undefined;
  }
}
