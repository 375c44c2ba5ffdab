/** `spawn x ENOENT`, with `errno`, `code` and `syscall`. */
export function errnoError({ code, number }, syscall) {
  const error = new Error(`${syscall} ${code}`);
  Error.captureStackTrace?.(error, errnoError);
  return Object.assign(error, { errno: -number, code, syscall });
}

/** The error of an operation that `AbortSignal` aborted. */
export function abortError(signal) {
  const error = new Error('The operation was aborted', { cause: signal?.reason });
  Object.defineProperty(error, 'name', { value: 'AbortError', configurable: true, writable: true, enumerable: false });
  return Object.assign(error, { code: 'ABORT_ERR' });
}
