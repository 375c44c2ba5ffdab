// Errors of the HTTP parser, with Node's codes.
const parseErrors = new WeakSet();

/** Whether the parser made `error`; others come from listeners. */
export const isParseError = (error) => parseErrors.has(error);

export function parseError(code, reason) {
  const error = new Error(`Parse Error: ${reason}`);
  parseErrors.add(error);
  return Object.assign(error, { bytesParsed: 0, code, reason });
}

/** The input ended within a message. */
export function unexpectedEnd() {
  return Object.assign(new Error('Parse Error'), { bytesParsed: 0, code: 'HPE_INVALID_EOF_STATE', reason: 'Invalid EOF state' });
}
