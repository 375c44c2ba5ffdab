// Conversion of event values, which may have any type.

export const number = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

export function text(value) {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : stringify(value);
}

/** JSON, or a placeholder for a value that is nested too deeply. */
export function stringify(value, indent) {
  try {
    return JSON.stringify(value, null, indent) ?? String(value);
  } catch {
    return '(nested too deeply to be shown)';
  }
}

export const COUNTS = ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens'];

export function usage(value) {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(COUNTS.map((name) => [name, number(value[name])]));
}

/** The sum of known values; null if there are none. */
export function sum(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
