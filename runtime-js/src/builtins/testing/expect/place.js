// Where an error is told to be: what fails after the author's line has no line of its own.

/** Gives an error the place where `source` was made, for what fails after the author's line. */
export function placeAt(error, source) {
  if (error instanceof Error && typeof source.stack === 'string') {
    const frames = source.stack
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n');
    Object.defineProperty(error, 'stack', {
      value: `${error.name}: ${error.message}\n${frames}`,
      configurable: true,
      writable: true,
    });
  }
  return error;
}
