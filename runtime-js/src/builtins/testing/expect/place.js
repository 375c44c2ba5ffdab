/** Gives an error the location of `source`, for failures after the author's line has run. */
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
