import { cursorText, lineText, moveText, SEQUENCES } from '../readline/cursor.js';
import { ask, Interface as Base } from '../readline/interface.js';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const Interface = class Interface extends Base {
  get _isPlain() {
    return false;
  }

  async question(query, options) {
    if (this.closed) throw nodeError(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
    return ask(this, query, options);
  }
};
brand(Interface, 'Interface', false);

/** Collects cursor movements and writes them together. */
class Readline {
  #stream;
  #autoCommit;
  #texts = [];

  constructor(stream, { autoCommit = false } = {}) {
    if (typeof stream?.write !== 'function') throw invalidArgumentType('stream', 'an instance of Writable', stream);
    this.#stream = stream;
    this.#autoCommit = autoCommit;
  }

  #add(text) {
    if (this.#autoCommit) process.nextTick(() => this.#stream.write(text));
    else this.#texts.push(text);
    return this;
  }

  clearLine(direction) {
    return this.#add(lineText(direction));
  }

  clearScreenDown() {
    return this.#add(SEQUENCES.screenDown);
  }

  cursorTo(x, y) {
    return this.#add(cursorText(x, y));
  }

  moveCursor(dx, dy) {
    return this.#add(moveText(dx, dy));
  }

  commit() {
    return new Promise((resolve) => this.#stream.write(this.#texts.splice(0).join(''), () => resolve()));
  }

  rollback() {
    this.#texts = [];
    return this;
  }
}

const createInterface = (...values) => new Interface(...values);

export { createInterface, Interface, Readline };
export default { createInterface, Interface, Readline };
