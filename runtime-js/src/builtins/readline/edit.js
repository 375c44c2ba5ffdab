// The line editor: the effect of each key.

const insert = (rl, text) => {
  const { line, cursor } = rl;
  rl.line = line.slice(0, cursor) + text + line.slice(cursor);
  rl.cursor += text.length;
  // At the end of a line, and not at the edge of the screen, writing the text is sufficient.
  if (rl.cursor === rl.line.length && rl.getCursorPos().cols > 0) rl._writeToOutput(text);
  else rl._refreshLine();
};

const remove = (rl, from, to) => {
  if (from >= to) return;
  rl.line = rl.line.slice(0, from) + rl.line.slice(to);
  rl.cursor = from;
  rl._refreshLine();
};

const move = (rl, to) => {
  rl.cursor = Math.max(0, Math.min(to, rl.line.length));
  rl._refreshLine();
};

/** The position before the cursor; a character may be a surrogate pair. */
const before = ({ line, cursor }) => cursor - ([...line.slice(Math.max(0, cursor - 2), cursor)].at(-1)?.length ?? 0);
const after = ({ line, cursor }) => cursor + ([...line.slice(cursor, cursor + 2)][0]?.length ?? 0);
const wordBefore = ({ line, cursor }) => cursor - (/(?:[^\w\s]+|\w+|)\s*$/.exec(line.slice(0, cursor))[0].length || 0);
const wordAfter = ({ line, cursor }) => cursor + /^(?:\s+|[^\w\s]+|\w+)\s*|^/.exec(line.slice(cursor))[0].length;

const setLine = (rl, line) => {
  rl.line = line;
  rl.cursor = line.length;
  rl._refreshLine();
};

function older(rl) {
  if (rl.historyIndex + 1 >= rl.history.length) return;
  rl.historyIndex += 1;
  setLine(rl, rl.history[rl.historyIndex]);
}

function newer(rl) {
  if (rl.historyIndex < 0) return;
  rl.historyIndex -= 1;
  setLine(rl, rl.historyIndex < 0 ? '' : rl.history[rl.historyIndex]);
}

function commonStart(texts) {
  let [start] = texts;
  for (const text of texts) while (!text.startsWith(start)) start = start.slice(0, -1);
  return start;
}

async function complete(rl) {
  const text = rl.line.slice(0, rl.cursor);
  rl.pause();
  try {
    const answer = rl.completer.length > 1
      ? await new Promise((resolve, reject) => rl.completer(text, (error, value) => (error ? reject(error) : resolve(value))))
      : await rl.completer(text);
    const [completions, part] = answer ?? [[], ''];
    if (completions.length === 0) return;
    const start = commonStart(completions.filter((item) => item !== ''));
    if (start.startsWith(part) && start.length > part.length) insert(rl, start.slice(part.length));
    else if (completions.length > 1) {
      rl._writeToOutput(`\r\n${completions.join('  ')}\r\n\r\n`);
      rl.prevRows = 0;
      rl._refreshLine();
    }
  } finally {
    rl.resume();
  }
}

function interrupt(rl) {
  if (rl.listenerCount('SIGINT') > 0) rl.emit('SIGINT');
  else rl.close();
}

function endOfInput(rl) {
  if (rl.line.length === 0) rl.close();
  else remove(rl, rl.cursor, after(rl));
}

function clearScreen(rl) {
  rl._writeToOutput('\x1b[1;1H\x1b[0J');
  rl.prevRows = 0;
  rl._refreshLine();
}

const start = (rl) => move(rl, 0);
const end = (rl) => move(rl, rl.line.length);
const left = (rl) => move(rl, before(rl));
const right = (rl) => move(rl, after(rl));
const removeWord = (rl) => remove(rl, wordBefore(rl), rl.cursor);
const removeNextWord = (rl) => {
  const { cursor } = rl;
  remove(rl, cursor, wordAfter(rl));
};
const backspace = (rl) => remove(rl, before(rl), rl.cursor);

const PLAIN = {
  backspace, left, right,
  up: older, down: newer, home: start, end,
  delete: (rl) => remove(rl, rl.cursor, after(rl)),
  return: (rl) => rl._submit(),
  enter: (rl) => rl._submit(),
  'paste-start': () => {},
  'paste-end': () => {},
};
const CONTROL = {
  a: start, e: end, b: left, f: right, p: older, n: newer, h: backspace,
  c: interrupt, d: endOfInput, l: clearScreen, w: removeWord,
  u: (rl) => remove(rl, 0, rl.cursor),
  k: (rl) => remove(rl, rl.cursor, rl.line.length),
  left: (rl) => move(rl, wordBefore(rl)),
  right: (rl) => move(rl, wordAfter(rl)),
  backspace: removeWord,
  delete: removeNextWord,
};
const META = { b: CONTROL.left, f: CONTROL.right, d: removeNextWord, backspace: removeWord, delete: removeNextWord, left: CONTROL.left, right: CONTROL.right };

/** For a terminal that cannot move its cursor: characters are only appended. */
function append(rl, text, key) {
  if (key.name === 'escape') return;
  if (key.ctrl && key.name === 'c') interrupt(rl);
  else if (key.ctrl && key.name === 'd') rl.close();
  else if (key.name === 'return' || key.name === 'enter') rl._submit();
  else if (typeof text === 'string' && text !== '') {
    rl.line += text;
    rl.cursor += text.length;
    rl._writeToOutput(text);
  }
}

/** Applies a key or written text to the line. */
export function edit(rl, text, key = {}) {
  if (rl._isPlain) return append(rl, text, key ?? {});
  const action = key.ctrl ? CONTROL[key.name] : key.meta ? META[key.name] : PLAIN[key.name];
  if (action) return action(rl);
  if (key.name === 'tab' && typeof rl.completer === 'function') return void complete(rl);
  if (key.ctrl || key.meta || typeof text !== 'string' || text === '') return;
  const [first, ...lines] = text.split(/\r\n|\n|\r/);
  if (first !== '') insert(rl, first);
  for (const line of lines) {
    rl._submit();
    if (line !== '') insert(rl, line);
  }
}
