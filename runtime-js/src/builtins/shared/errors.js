// Errors in Node's form: a `code`, also in the first line of the stack.

/** A `Base` error with Node's `code`; prints as `TypeError [ERR_X]: message`. */
export function nodeError(Base, code, message) {
  const error = new Base(message);
  const name = error.name;
  Object.defineProperty(error, 'name', { value: `${name} [${code}]`, configurable: true, writable: true });
  // Captures the stack with the code in its first line; the name is plain afterwards, as in Node.
  Error.captureStackTrace?.(error, nodeError);
  void error.stack;
  delete error.name;
  error.code = code;
  return error;
}

/** Node's text for a received value at the end of argument errors. */
export function received(value) {
  if (value === undefined || value === null) return ` Received ${value}`;
  if (typeof value === 'function') return ` Received function ${value.name}`;
  if (typeof value === 'object') {
    const name = value.constructor?.name;
    return name ? ` Received an instance of ${name}` : ' Received an object';
  }
  let text = typeof value === 'bigint' ? `${value}n` : typeof value === 'string' ? `'${value}'` : String(value);
  if (text.length > 28) text = `${text.slice(0, 25)}...${typeof value === 'string' ? "'" : ''}`;
  return ` Received type ${typeof value} (${text})`;
}

/** `The "path" argument must be of type string. Received undefined`. */
export function invalidArgumentType(name, expected, value) {
  const what = name.includes('.') ? 'property' : 'argument';
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" ${what} must be ${expected}.${received(value)}`);
}

/** Large integers have separators in range errors: `1_099_511_627_776`. */
function shownNumber(value) {
  const isBigInt = typeof value === 'bigint';
  const isLarge = isBigInt ? value > 2n ** 32n || value < -(2n ** 32n) : Number.isInteger(value) && Math.abs(value) > 2 ** 32;
  const digits = isLarge ? String(value).replace(/\B(?=(\d{3})+$)/g, '_') : String(value);
  return isBigInt ? `${digits}n` : digits;
}

/** `The value of "size" is out of range. It must be … Received …`. */
export function outOfRange(name, range, value) {
  const shown = typeof value === 'string' ? `'${value}'` : shownNumber(value);
  const message = `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`;
  return nodeError(RangeError, 'ERR_OUT_OF_RANGE', message);
}

/** Throws for values that are not integers within the bounds. */
export function checkInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

/** A function or class of Node that lmthing does not support; using it throws. */
export function notOffered(name, instead = '') {
  return function () {
    const hint = instead ? `; ${instead}` : '';
    throw nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `lmthing does not offer ${name}${hint}`);
  };
}
