// `assert.AssertionError`, with a generated message unless one is given.
import { brand } from '../shared/brand.js';
import { invalidArgumentType } from '../shared/errors.js';
import { clipped, difference, inspectValue } from './difference.js';

const NOT_EQUAL = {
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
};
const LOOSE = {
  deepEqual: ['Expected values to be loosely deep-equal:', 'should loosely deep-equal'],
  notDeepEqual: ['Expected values not to be loosely deep-equal:', 'should not loosely deep-equal'],
};
const MAX_TEXT = 512;

const shortened = (text, max = MAX_TEXT) => (text.length > max ? `${text.slice(0, max - 3)}...` : text);

/** Removes properties that would differ between equal errors. */
function withoutStack(error) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  Object.defineProperty(copy, 'message', { value: error.message });
  return copy;
}

function notEqualMessage(actual, operator) {
  const isObject = operator === 'notStrictEqual' && ((typeof actual === 'object' && actual !== null) || typeof actual === 'function');
  const head = NOT_EQUAL[isObject ? 'notStrictEqualObject' : operator];
  const lines = clipped(inspectValue(actual).split('\n'));
  return lines.length === 1 ? `${head}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}` : `${head}\n\n${lines.join('\n')}\n`;
}

function message(actual, expected, operator) {
  if (operator === 'deepStrictEqual' || operator === 'strictEqual') return difference(actual, expected, operator);
  if (operator in NOT_EQUAL) return notEqualMessage(actual, operator);
  let [first, second] = [inspectValue(actual), inspectValue(expected)];
  if (operator in LOOSE) {
    const [head, verb] = LOOSE[operator];
    if (operator === 'notDeepEqual' && first === second) return shortened(`${head.replace('values', '"actual"').replace('deep-equal:', 'deep-equal to:')}\n\n${first}`, 1024);
    return `${head}\n\n${shortened(first)}\n\n${verb}\n\n${shortened(second)}`;
  }
  [first, second] = [shortened(first), shortened(second)];
  return `${first} ${operator} ${second}`;
}

export class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
    let { actual, expected } = options;
    const { details, operator, stackStartFn } = options;
    if (options.message == null && actual instanceof Error && expected instanceof Error) {
      [actual, expected] = [actual, expected].map(withoutStack);
    }
    super(options.message != null ? String(options.message) : message(actual, expected, operator));
    this.generatedMessage = !options.message;
    // The first line of the stack, made on capture, contains the code.
    Object.defineProperty(this, 'name', { value: 'AssertionError [ERR_ASSERTION]', writable: true, configurable: true });
    this.code = 'ERR_ASSERTION';
    if (details) {
      for (const key of ['actual', 'expected', 'operator']) this[key] = undefined;
      this.details = details;
    } else {
      Object.assign(this, { actual, expected, operator });
    }
    Error.captureStackTrace?.(this, stackStartFn || AssertionError);
    void this.stack;
    Object.defineProperty(this, 'name', { value: 'AssertionError', writable: true, configurable: true });
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](_depth, options, inspect) {
    // The message has long texts already.
    const short = (value) => (typeof value === 'string' && value.split('\n').length > 11 ? `${value.split('\n').slice(0, 10).join('\n')}\n...` : value);
    const { actual, expected } = this;
    Object.assign(this, { actual: short(actual), expected: short(expected) });
    try {
      return inspect(this, { ...options, customInspect: false, depth: 0 });
    } finally {
      Object.assign(this, { actual, expected });
    }
  }
}
brand(AssertionError, 'AssertionError', false);
