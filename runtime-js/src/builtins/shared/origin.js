// Keeps the caller's frames for operations that fail later, with an empty stack.

/** Must be called before the first `await` of an operation. */
export const origin = () => new Error();

/** Appends the frames of `from` to the stack of an error without frames. */
export function withOrigin(error, from) {
  const frames = (of) => of.stack.split('\n').filter((line) => line.startsWith('    at '));
  const own = error.stack.split('\n    at ', 1)[0];
  const called = frames(from).filter((line) => !/\bat (origin|runAsync)\b/.test(line));
  const value = [own, ...frames(error), ...called].join('\n');
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true, enumerable: false });
  return error;
}
