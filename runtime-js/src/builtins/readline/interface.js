// `Interface`: lines from a stream, questions, and line editing on a terminal.
import EventEmitter, { on } from 'node:events';
import process from 'lmthing:internal/process';
import { StringDecoder } from 'node:string_decoder';
import { brand } from '../shared/brand.js';
import { quietEnvironment } from '../shared/environment.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { abortError } from '../shared/system-error.js';
import { clearScreenDown, cursorTo, moveCursor } from './cursor.js';
import { edit } from './edit.js';
import { emitKeypressEvents } from './keys.js';
import { positionAfter } from './width.js';

const LINE_END = /\r?\n|\r(?!\n)/g;
const MIN_CRLF_DELAY = 100;

/** Normalizes the arguments of `createInterface`. */
function optionsOf(input, output, completer, terminal) {
  if (input?.input !== undefined) return { ...input };
  return { input, output, completer, terminal };
}

function checkOptions({ input, completer, historySize, crlfDelay, prompt }) {
  if (typeof input?.on !== 'function') throw invalidArgumentType('input', 'an instance of Stream', input);
  if (completer !== undefined && typeof completer !== 'function') {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'completer' is invalid. Received ${String(completer)}`);
  }
  if (historySize !== undefined && !(historySize >= 0)) throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', `The value of "historySize" is out of range. It must be >= 0. Received ${historySize}`);
  void [crlfDelay, prompt];
}

export class Interface extends EventEmitter {
  #decoder = new StringDecoder('utf8');
  #buffer = '';
  #returnAt = 0;
  #question = null;
  #oldPrompt = '';
  #prompt = '> ';
  #ends = [];
  /** All loops over the lines share one iterator: a later loop continues after the earlier one. */
  #lines;

  constructor(...values) {
    super();
    const options = optionsOf(...values);
    checkOptions(options);
    const { input, output, completer, signal } = options;
    this.input = input;
    this.output = output;
    this.terminal = Boolean(options.terminal ?? output?.isTTY);
    this.completer = completer;
    this.line = '';
    if (this.terminal) this.cursor = 0;
    this.history = options.history ?? [];
    this.historySize = options.historySize ?? 30;
    this.removeHistoryDuplicates = Boolean(options.removeHistoryDuplicates);
    this.historyIndex = -1;
    this.crlfDelay = Math.max(MIN_CRLF_DELAY, options.crlfDelay ?? 0);
    this.escapeCodeTimeout = options.escapeCodeTimeout ?? 500;
    this.tabSize = options.tabSize ?? 8;
    this.prevRows = 0;
    this.paused = false;
    if (options.prompt !== undefined) this.#prompt = `${options.prompt}`;
    if (this.terminal) this.#listenToKeys();
    else this.#listenToLines();
    if (signal) {
      const abort = () => this.close();
      if (signal.aborted) process.nextTick(abort);
      else this.#listen(signal, 'abort', abort);
    }
    input.resume();
  }

  #listen(target, event, listener) {
    const isTarget = typeof target.addEventListener === 'function' && typeof target.on !== 'function';
    target[isTarget ? 'addEventListener' : 'on'](event, listener);
    this.#ends.push(() => target[isTarget ? 'removeEventListener' : 'removeListener'](event, listener));
  }

  #listenToLines() {
    this.#listen(this.input, 'data', (chunk) => this.#take(chunk));
    this.#listen(this.input, 'error', (error) => this.emit('error', error));
    this.#listen(this.input, 'end', () => {
      const rest = this.#buffer;
      this.#buffer = '';
      if (rest !== '') this.#tell(rest);
      this.close();
    });
  }

  #listenToKeys() {
    emitKeypressEvents(this.input, this);
    this.#listen(this.input, 'keypress', (text, key) => {
      edit(this, text, key);
      // Part of a surrogate pair came as one key: redraws the line.
      if (key?.sequence?.codePointAt(0) > 0xffff) this._refreshLine();
    });
    this.#listen(this.input, 'end', () => {
      if (this.line.length > 0) this.#tell(this.line);
      this.close();
    });
    if (typeof this.output?.on === 'function') this.#listen(this.output, 'resize', () => this._refreshLine());
    this.input.setRawMode?.(true);
  }

  /** Splits input into lines. */
  #take(chunk) {
    let text = this.#decoder.write(typeof chunk === 'string' ? globalThis.Buffer.from(chunk) : chunk);
    if (this.#returnAt && Date.now() - this.#returnAt <= this.crlfDelay) {
      if (text.startsWith('\n')) text = text.slice(1);
      this.#returnAt = 0;
    }
    LINE_END.lastIndex = 0;
    if (!LINE_END.test(text)) {
      this.#buffer += text;
      return;
    }
    text = this.#buffer + text;
    this.#returnAt = text.endsWith('\r') ? Date.now() : 0;
    const lines = text.split(LINE_END);
    this.#buffer = lines.pop();
    for (const line of lines) this.#tell(line);
  }

  /** Emits a complete line. */
  #tell(line) {
    if (!this.#question) return void this.emit('line', line);
    const answer = this.#question;
    this.#question = null;
    this.setPrompt(this.#oldPrompt);
    answer(line);
  }

  /** Called by the editor: the current line is complete. */
  _submit() {
    const line = this._addHistory();
    this.clearLine();
    this.#tell(line);
  }

  _addHistory() {
    const { history, line } = this;
    if (line.length === 0 || !this.terminal || this.historySize === 0 || line.trim().length === 0) return line;
    if (history[0] !== line) {
      if (this.removeHistoryDuplicates && history.includes(line)) history.splice(history.indexOf(line), 1);
      history.unshift(line);
      if (history.length > this.historySize) history.pop();
    }
    this.historyIndex = -1;
    this.emit('history', history);
    return history[0];
  }

  /** Whether the terminal cannot move its cursor. The promises version does not check this, in Node either. */
  get _isPlain() {
    return quietEnvironment().TERM === 'dumb';
  }

  get columns() {
    return this.output?.columns ?? Infinity;
  }

  getPrompt() {
    return this.#prompt;
  }

  setPrompt(prompt) {
    this.#prompt = `${prompt}`;
  }

  prompt(preserveCursor = false) {
    if (this.paused) this.resume();
    if (this.terminal && quietEnvironment().TERM !== 'dumb') {
      if (!preserveCursor) this.cursor = 0;
      this._refreshLine();
    } else {
      this._writeToOutput(this.#prompt);
    }
  }

  question(query, options, callback = undefined) {
    if (typeof options === 'function') [callback, options] = [options, {}];
    if (this.closed) throw nodeError(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
    const { signal } = options ?? {};
    if (signal?.aborted) return;
    if (signal) {
      const cancel = () => this._cancelQuestion();
      signal.addEventListener('abort', cancel, { once: true });
      const answered = callback;
      callback = (answer) => {
        signal.removeEventListener('abort', cancel);
        return answered(answer);
      };
    }
    if (typeof callback !== 'function') return;
    if (this.#question) return void this.prompt();
    this.#oldPrompt = this.#prompt;
    this.setPrompt(query);
    this.#question = callback;
    this.prompt();
  }

  _cancelQuestion() {
    if (!this.#question) return;
    this.#question = null;
    this.setPrompt(this.#oldPrompt);
    this.clearLine();
  }

  _writeToOutput(text) {
    if (typeof text !== 'string') throw invalidArgumentType('stringToWrite', 'of type string', text);
    this.output?.write?.(text);
  }

  /** Redraws prompt and line, and places the cursor. */
  _refreshLine() {
    const { output, columns } = this;
    const whole = positionAfter(this.#prompt + this.line, columns);
    const { rows, cols } = this.getCursorPos();
    if (this.prevRows > 0) moveCursor(output, 0, -this.prevRows);
    cursorTo(output, 0);
    clearScreenDown(output);
    this._writeToOutput(this.#prompt + this.line);
    // At the right edge the terminal has not wrapped yet.
    if (whole.cols === 0) this._writeToOutput(' ');
    cursorTo(output, cols);
    if (whole.rows > rows) moveCursor(output, 0, rows - whole.rows);
    this.prevRows = rows;
  }

  getCursorPos() {
    return positionAfter(this.#prompt + this.line.slice(0, this.cursor), this.columns);
  }

  clearLine() {
    if (this.terminal) {
      this.cursor = this.line.length;
      const end = positionAfter(this.#prompt + this.line, this.columns);
      if (end.rows > this.prevRows) moveCursor(this.output, 0, end.rows - this.prevRows);
    }
    this._writeToOutput('\r\n');
    this.line = '';
    if (this.terminal) this.cursor = 0;
    this.prevRows = 0;
  }

  write(text, key) {
    if (this.paused) this.resume();
    if (this.terminal) edit(this, text, key);
    else if (text !== undefined && text !== null) this.#take(text);
  }

  pause() {
    if (this.paused) return undefined;
    this.input.pause();
    this.paused = true;
    this.emit('pause');
    return this;
  }

  resume() {
    if (!this.paused) return undefined;
    this.input.resume();
    this.paused = false;
    this.emit('resume');
    return this;
  }

  close() {
    if (this.closed) return;
    this.pause();
    if (this.terminal) this.input.setRawMode?.(false);
    for (const end of this.#ends.splice(0)) end();
    this.closed = true;
    this.emit('close');
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    this.close();
  }

  [Symbol.asyncIterator]() {
    if (this.#lines) return this.#lines;
    const lines = on(this, 'line', { close: ['close'] });
    this.#lines = lines;
    const next = lines.next.bind(lines);
    lines.next = async () => {
      const { value, done } = await next();
      return { value: value?.[0], done };
    };
    return lines;
  }
}
brand(Interface, 'Interface', false);

/** Asks a question; resolves to the answer. */
export function ask(readline, query, options) {
  const { signal } = options ?? {};
  if (signal?.aborted) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortError(signal));
    signal?.addEventListener('abort', abort, { once: true });
    Interface.prototype.question.call(readline, query, options, (answer) => {
      signal?.removeEventListener('abort', abort);
      resolve(answer);
    });
  });
}
Object.defineProperty(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), {
  value(query, options) {
    return ask(this, query, options);
  },
});
