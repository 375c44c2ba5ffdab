// Decodes terminal input into `keypress` events.
import { StringDecoder } from 'node:string_decoder';

/** Key names by the end of the escape sequence: `[A`, `OA`, `[3~`. */
const NAMES = {
  '[A': 'up', '[B': 'down', '[C': 'right', '[D': 'left', '[E': 'clear', '[F': 'end', '[H': 'home',
  'OA': 'up', 'OB': 'down', 'OC': 'right', 'OD': 'left', 'OE': 'clear', 'OF': 'end', 'OH': 'home',
  'OP': 'f1', 'OQ': 'f2', 'OR': 'f3', 'OS': 'f4', '[P': 'f1', '[Q': 'f2', '[R': 'f3', '[S': 'f4',
  '[1~': 'home', '[2~': 'insert', '[3~': 'delete', '[4~': 'end', '[5~': 'pageup', '[6~': 'pagedown', '[7~': 'home', '[8~': 'end',
  '[11~': 'f1', '[12~': 'f2', '[13~': 'f3', '[14~': 'f4', '[15~': 'f5', '[17~': 'f6', '[18~': 'f7', '[19~': 'f8', '[20~': 'f9',
  '[21~': 'f10', '[23~': 'f11', '[24~': 'f12', '[200~': 'paste-start', '[201~': 'paste-end', '[Z': 'tab',
};

/** One key at the start of the text: an escape sequence, or a character with or without Alt. */
const KEY = /^(?:\x1b{1,2}(?:\[\[?[0-9;]*[~^$A-Za-z]|O[0-9]*[A-Za-z])|\x1b?[^])/u;
/** An incomplete escape sequence. */
const UNFINISHED = /^\x1b{1,2}(?:\[\[?[0-9;]*|O[0-9]*)?$/;
/** Milliseconds to wait for its rest. */
const ESCAPE_TIMEOUT = 500;

function sequenceKey(sequence, key) {
  const [, introducer, numbers, final] = /^\x1b{1,2}([[O]\[?)([0-9;]*)([~^$A-Za-z])$/.exec(sequence);
  const [first, second] = numbers.split(';');
  const modifier = Number(second ?? (final === '~' ? 1 : first || 1)) - 1;
  const code = `${introducer}${final === '~' || final === '^' || final === '$' ? first : ''}${final}`;
  key.name = NAMES[code.replace(/[\^$]$/, '~')];
  key.code = code;
  key.shift = (modifier & 1) !== 0 || final === '$' || final === 'Z';
  key.meta = (modifier & 10) !== 0 || sequence.startsWith('\x1b\x1b');
  key.ctrl = (modifier & 4) !== 0 || final === '^';
}

function characterKey(character, key) {
  const plain = { '\r': 'return', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\x7f': 'backspace', '\x1b': 'escape', ' ': 'space' };
  if (plain[character]) key.name = plain[character];
  else if (character <= '\x1a') [key.name, key.ctrl] = [String.fromCharCode(character.charCodeAt(0) + 96), true];
  else if (/^[0-9A-Za-z]$/.test(character)) [key.name, key.shift] = [character.toLowerCase(), /[A-Z]/.test(character)];
}

/** The key object for listeners. */
function keyOf(sequence) {
  const key = { sequence, name: undefined, ctrl: false, meta: false, shift: false };
  if (/^\x1b{1,2}[[O]./.test(sequence) && sequence.length > 2) sequenceKey(sequence, key);
  else {
    const alone = sequence.length > 1 && sequence.startsWith('\x1b');
    characterKey(alone ? sequence.slice(1) : sequence, key);
    key.meta = alone || sequence === '\x1b';
  }
  return key;
}

const decoders = new WeakMap();

/** Makes `stream` emit `keypress` for its input. */
export function emitKeypressEvents(stream, readline = {}) {
  if (decoders.has(stream)) return;
  const decoder = new StringDecoder('utf8');
  decoders.set(stream, decoder);
  let waiting = '';
  let timer;
  const emit = (sequence) => {
    const key = keyOf(sequence);
    const isText = sequence.length > 0 && (sequence.length === 1 || !sequence.startsWith('\x1b'));
    stream.emit('keypress', isText ? sequence : undefined, key);
  };
  const feed = (text, isEnd) => {
    waiting += text;
    while (waiting !== '' && (isEnd || !UNFINISHED.test(waiting))) {
      const [sequence] = KEY.exec(waiting);
      waiting = waiting.slice(sequence.length);
      emit(sequence);
    }
  };
  function onData(bytes) {
    clearTimeout(timer);
    if (stream.listenerCount('keypress') === 0) {
      stream.removeListener('data', onData);
      stream.on('newListener', onNewListener);
      return;
    }
    feed(typeof bytes === 'string' ? bytes : decoder.write(bytes), false);
    if (waiting !== '') timer = setTimeout(() => feed('', true), readline.escapeCodeTimeout ?? ESCAPE_TIMEOUT);
  }
  function onNewListener(event) {
    if (event !== 'keypress') return;
    stream.on('data', onData);
    stream.removeListener('newListener', onNewListener);
  }
  if (stream.listenerCount('keypress') > 0) stream.on('data', onData);
  else stream.on('newListener', onNewListener);
}
