// Values of events, which may be anything: made into what they should be.

export const number = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

export function text(value) {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : stringify(value);
}

/** JSON, or a word when a value is nested too deeply for it. */
export function stringify(value, indent) {
  try {
    return JSON.stringify(value, null, indent) ?? String(value);
  } catch {
    return '(nested too deeply to be shown)';
  }
}

const COUNTS = ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens'];

export function usage(value) {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(COUNTS.map((name) => [name, number(value[name])]));
}

/** The sum of what is known; null when nothing is. */
export function sum(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
