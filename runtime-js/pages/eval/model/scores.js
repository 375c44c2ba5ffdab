// Scores as words and marks.

/** Names are those of users: an object would have properties of its own by some of them. */
export const byName = (value) => new Map(Object.entries(value ?? {}));

export const readCell = (line) => ({ ...line, scores: byName(line.scores) });

/** Differences that only the arithmetic of fractions makes. */
const NOTHING = 1e-9;

export const isSame = (one, other) => Math.abs(one - other) < NOTHING;

/** The mean of a score over the repetitions of a row; null if none has it. */
export function meanOf(cells, name) {
  const known = cells.map(({ scores }) => scores.get(name)?.score).filter((score) => typeof score === 'number');
  return known.length > 0 ? known.reduce((total, score) => total + score, 0) / known.length : null;
}

/** `0.85`, `0.925`. */
export const fraction = (value) => value.toFixed(3).replace(/0$/, '');

export function signed(value) {
  const written = fraction(Math.abs(value));
  return Number(written) === 0 ? '0.00' : `${value < 0 ? '−' : '+'}${written}`;
}

const VERDICTS = { better: { sign: '▲', tone: 'good' }, worse: { sign: '▼', tone: 'bad' } };

/** The mark of a verdict, which stands before its words. */
export const markOf = (verdict) => (Object.hasOwn(VERDICTS, verdict) ? VERDICTS[verdict] : { sign: '=', tone: 'open' });

/** A score of one cell: `{sign, word, tone}`. */
export function wordOf(score) {
  if (!score) return { sign: '–', word: 'no score', tone: 'open' };
  if (score.error) return { sign: '!', word: 'error', tone: 'bad' };
  if (typeof score.pass === 'boolean') return score.pass ? { sign: '✓', word: 'yes', tone: 'good' } : { sign: '✗', word: 'no', tone: 'bad' };
  if (typeof score.score !== 'number') return { sign: '–', word: 'no score', tone: 'open' };
  const word = fraction(score.score);
  return { sign: word, word, tone: toneOf(score.score) };
}

const toneOf = (mean) => (mean >= 0.8 ? 'good' : mean < 0.5 ? 'bad' : 'wait');

/** A score of the repetitions of a row: yes and no as `2/3`, numbers as their mean. */
export function wordOfAll(cells, name) {
  const scores = cells.map((cell) => cell.scores.get(name)).filter(Boolean);
  if (scores.length <= 1 || scores.some(({ error }) => error)) return wordOf(scores.find(({ error }) => error) ?? scores[0]);
  const mean = meanOf(cells, name);
  if (mean === null) return wordOf(undefined);
  const passes = scores.filter(({ pass }) => pass === true).length;
  const word = scores.every(({ pass }) => typeof pass === 'boolean') ? `${passes}/${scores.length}` : fraction(mean);
  return { sign: word, word, tone: toneOf(mean) };
}

export const isFailed = (score) => Boolean(score) && (Boolean(score.error) || (typeof score.pass === 'boolean' ? !score.pass : score.score < 0.5));
