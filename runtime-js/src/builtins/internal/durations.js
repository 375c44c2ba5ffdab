/** `1.5ms`, `2.000s`, `1:00.000 (m:ss.mmm)`: the format of `console.time`. */
export function formatDuration(milliseconds) {
  if (milliseconds >= 3_600_000) return clock(milliseconds, 3, '(h:mm:ss)');
  if (milliseconds >= 60_000) return clock(milliseconds, 2, '(m:ss.mmm)');
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(3)}s`;
  return `${Number(milliseconds.toFixed(3))}ms`;
}

function clock(milliseconds, parts, unit) {
  const pad = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1000;
  if (parts === 3) return `${hours}:${pad(minutes)}:${pad(Math.floor(seconds))} ${unit}`;
  return `${minutes}:${seconds.toFixed(3).padStart(6, '0')} ${unit}`;
}
