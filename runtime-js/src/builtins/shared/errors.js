// Errors with the shape Node gives its own: a `code`, and the code in the first line of the stack.

/** A `Base` error with Node's `code`; prints as `TypeError [ERR_X]: message`. */
export function nodeError(Base, code, message) {
  const error = new Base(message);
  const name = error.name;
  Object.defineProperty(error, 'name', { value: `${name} [${code}]`, configurable: true, writable: true });
  // The stack's first line is made now, with the code; the name is plain afterwards, as in Node.
  Error.captureStackTrace?.(error, nodeError);
  delete error.name;
  error.code = code;
  return error;
}

/** What Node says was received, at the end of its argument errors. */
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

/** `The value of "size" is out of range. It must be … Received …`. */
export function outOfRange(name, range, value) {
  const message = `The value of "${name}" is out of range. It must be ${range}. Received ${value}`;
  return nodeError(RangeError, 'ERR_OUT_OF_RANGE', message);
}

/** A function or class that Node has and lmthing has not: using it says so. */
export function notOffered(name, instead = '') {
  return function () {
    const hint = instead ? `; ${instead}` : '';
    throw nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `lmthing does not offer ${name}${hint}`);
  };
}
