// Who called: an operation that fails later has nobody on the stack any more, so the caller's frames are kept from the start.

/** The calls that lead here; made before the first `await` of an operation. */
export const origin = () => new Error();

/** Adds the calls that led to `from` to the stack of an error that was made when nobody was on the stack. */
export function withOrigin(error, from) {
  const frames = (of) => of.stack.split('\n').filter((line) => line.startsWith('    at '));
  const own = error.stack.split('\n    at ', 1)[0];
  const called = frames(from).filter((line) => !/\bat (origin|runAsync)\b/.test(line));
  const value = [own, ...frames(error), ...called].join('\n');
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true, enumerable: false });
  return error;
}
