// The text of the call that failed, for `assert.ok(a && b)` without a message: read from the file the stack names.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FRAME = /(?:\(|at )((?:file:\/\/|\/|[A-Za-z]:)[^()]*):(\d+):(\d+)\)?$/;
const OPENING = '([{';
const CLOSING = ')]}';
/** What may come before a `/` that begins a regular expression. */
const BEFORE_REGEXP = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|void))\s*$/;
/** A call of one of the functions that say what was asked: `assert(`, `assert.ok(`, `assert['ok'](`. */
const CALL = /(?<![\w$.])(?:[\w$]+\s*\.\s*)*(?:(?:assert|ok|strict|default)|[\w$]+\[(['"])(?:ok|strict)\1\])\s*\(/g;
/** How far before the place a call may begin. */
const REACH = 20_000;

/** Where a quoted text, or a template with its expressions, that starts at `index` is over. */
function skipQuoted(text, index) {
  const quote = text[index];
  for (index++; index < text.length && text[index] !== quote; index++) {
    if (text[index] === '\\') index++;
    else if (quote === '`' && text.startsWith('${', index)) index = endOfGroup(text, index + 1) - 1;
    if (index < 0) return text.length;
  }
  return index;
}

function skipRegexp(text, index) {
  let isClass = false;
  for (index++; index < text.length && (isClass || text[index] !== '/'); index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '[') isClass = true;
    else if (text[index] === ']') isClass = false;
  }
  return index;
}

/** The end of what the bracket at `start` opens; -1 when the text ends before. */
function endOfGroup(text, start) {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (`'"\``.includes(character)) index = skipQuoted(text, index);
    else if (text.startsWith('//', index)) index = text.indexOf('\n', index);
    else if (text.startsWith('/*', index)) index = text.indexOf('*/', index) + 1;
    else if (character === '/' && BEFORE_REGEXP.test(text.slice(Math.max(0, index - 20), index))) index = skipRegexp(text, index);
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character) && --depth <= 0) return index + 1;
    if (index < 0) return -1;
  }
  return -1;
}

/** The innermost call of an assertion around `place`, as `[start, end]`. */
function callAround(text, place) {
  const first = Math.max(0, place - REACH);
  const calls = [...text.slice(first, place + 200).matchAll(CALL)].filter((match) => first + match.index <= place);
  for (const match of calls.reverse()) {
    const start = first + match.index;
    const end = endOfGroup(text, start + match[0].length - 1);
    if (end > place) return [start, end];
  }
  return undefined;
}

/** `assert.ok(x)` as it is written at the place where `error` left the program's code; undefined if it cannot be told. */
export function callSource(error) {
  const frame = String(error.stack).split('\n').find((line) => /^\s+at /.test(line) && !/\(?(node|lmthing):/.test(line));
  const [, file, line, column] = FRAME.exec(frame ?? '') ?? [];
  if (!file) return undefined;
  try {
    const text = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
    const before = text.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0);
    // The engine tells a place in the call: often that of what was called last for its arguments.
    const found = callAround(text, before + Number(column) - 1);
    if (!found) return undefined;
    const [start, end] = found;
    const indentation = start - (text.lastIndexOf('\n', start - 1) + 1);
    return text.slice(start, end).replace(new RegExp(`\\n {0,${indentation}}`, 'g'), '\n  ');
  } catch {
    return undefined;
  }
}
