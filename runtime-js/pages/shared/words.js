// Formatting of numbers and times.

const COUNT = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export const count = (value) => COUNT.format(value);
export const plural = (value, word) => `${count(value)} ${word}${value === 1 ? '' : 's'}`;
export const clock = (time) => CLOCK.format(time);

/** A duration, rounded to a useful precision. */
export function duration(millis) {
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 9_950) return `${(millis / 1000).toFixed(2)} s`;
  if (millis < 59_950) return `${(millis / 1000).toFixed(1)} s`;
  const seconds = Math.round(millis / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const padded = (value) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours} h ${padded(minutes)} m` : `${minutes} m ${padded(rest)} s`;
}

/** The same for round times. */
export function mark(millis) {
  if (millis === 0) return '0';
  return duration(millis).replace(/(\.\d*?)0+ s$/, '$1 s').replace('. s', ' s').replace(/ m 00 s$/, ' m').replace(/ h 00 m$/, ' h');
}

/** Time since the start of the run: `+1.234`, `+1:02.5`. */
export function offset(millis) {
  const seconds = millis / 1000;
  if (seconds < 60) return `+${seconds.toFixed(seconds < 10 ? 3 : 2)}`;
  const padded = (value, digits) => value.toFixed(digits).padStart(digits > 0 ? 3 + digits : 2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `+${minutes}:${padded(seconds % 60, 1)}`;
  return `+${Math.floor(minutes / 60)}:${padded(minutes % 60, 0)}:${padded(Math.floor(seconds % 60), 0)}`;
}

export function dollars(value) {
  if (value === 0) return '$0';
  const digits = value >= 1 ? 2 : value >= 0.01 ? 4 : 6;
  const written = value.toFixed(digits);
  return `$${digits > 2 ? written.replace(/(\.\d\d\d*?)0+$/, '$1') : written}`;
}

/** `1,100 → 150 tokens`, without unknown counts; empty if none is known or all are zero. */
export function tokens(usage) {
  if (!usage) return '';
  const { inputTokens: input, outputTokens: output, totalTokens: total } = usage;
  if (input === null && output === null) return total ? plural(total, 'token') : '';
  if (!input && !output) return '';
  return `${input === null ? '?' : count(input)} → ${output === null ? '?' : count(output)} tokens`;
}

/** The first non-empty line of a text, cut. */
export function preview(text, length = 160) {
  const start = text.slice(0, 2000).trimStart();
  const line = start.split('\n', 1)[0];
  return line.length > length ? `${line.slice(0, length)}…` : line.length < start.length ? `${line} …` : line;
}
