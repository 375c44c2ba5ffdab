// Checks of the options that an author gives.
import { importBuiltin } from 'lmthing:internal/native/modules';

/** A value in a message. */
export function shown(value) {
  const text = importBuiltin('node:util').inspect(value, { depth: 1, breakLength: Infinity });
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Returns the options, or `{}`; throws a `TypeError` for other values and unknown options. */
export function checkOptions(what, options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`${what}: the options must be an object, got ${shown(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${what} has no option '${unknown}'; there is ${known.join(', ')}`);
  return options;
}
