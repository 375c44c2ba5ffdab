// Errors for values that cannot be serialized.
import { slice, stringify } from './natives.js';

/** Longer paths are cut in the middle. */
const MAX_PATH = 120;

/** Thrown for a value that cannot be serialized; each enclosing object adds its step to the path. */
export class Lost {
  #what;
  #path = '';

  /** `what` follows "it is" or "it holds": `a function`. */
  constructor(what) {
    this.#what = what;
  }

  /** Adds an outer step to the path. */
  under(label) {
    this.#path = `${label}${this.#path}`;
    return this;
  }

  reason() {
    let path = this.#path;
    if (path.length > MAX_PATH) path = `${slice(path, 0, MAX_PATH / 2)}…${slice(path, -MAX_PATH / 2)}`;
    return path === '' ? `it is ${this.#what}` : `it holds ${this.#what} at ${path}`;
  }

  static is(value) {
    return typeof value === 'object' && value !== null && #what in value;
  }
}

export const isLost = Lost.is;

/** A property access as in code: `.name`, `["odd name"]`, `[2]`. */
export function keyLabel(key) {
  if (isName(key)) return `.${key}`;
  return `[${isIndex(key) ? key : stringify(key)}]`;
}

const isIndex = (key) => `${key >>> 0}` === key;

function isName(key) {
  for (let index = 0; index < key.length; index++) {
    const character = key[index];
    const isLetter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_' || character === '$';
    if (!isLetter && !(index > 0 && character >= '0' && character <= '9')) return false;
  }
  return key.length > 0;
}
