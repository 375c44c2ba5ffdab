// The source text of a failed call, for `assert.ok(a && b)` without a message; read from the file in the stack.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FRAME = /(?:\(|at )((?:file:\/\/|\/|[A-Za-z]:)[^()]*):(\d+):(\d+)\)?$/;
const OPENING = '([{';
const CLOSING = ')]}';
/** What may precede a `/` that begins a regular expression. */
const BEFORE_REGEXP = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|void))\s*$/;
/** A call whose message shows its source: `assert(`, `assert.ok(`, `assert['ok'](`. */
const CALL = /(?<![\w$.])(?:[\w$]+\s*\.\s*)*(?:(?:assert|ok|strict|default)|[\w$]+\[(['"])(?:ok|strict)\1\])\s*\(/g;
/** How many characters before the position a call may begin. */
const REACH = 20_000;

/** The end of a quoted text or template that starts at `index`. */
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

/** The end of the bracket that opens at `start`; -1 when the text ends first. */
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

/** The innermost assertion call around `place`, as `[start, end]`. */
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

/** The source of the assertion call at the topmost frame of `error` in user code; undefined if it cannot be found. */
export function callSource(error) {
  const frame = String(error.stack).split('\n').find((line) => /^\s+at /.test(line) && !/\(?(node|lmthing):/.test(line));
  const [, file, line, column] = FRAME.exec(frame ?? '') ?? [];
  if (!file) return undefined;
  try {
    const text = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
    const before = text.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0);
    // QuickJS reports a position inside the call, often that of its last argument.
    const found = callAround(text, before + Number(column) - 1);
    if (!found) return undefined;
    const [start, end] = found;
    const indentation = start - (text.lastIndexOf('\n', start - 1) + 1);
    return text.slice(start, end).replace(new RegExp(`\\n {0,${indentation}}`, 'g'), '\n  ');
  } catch {
    return undefined;
  }
}
