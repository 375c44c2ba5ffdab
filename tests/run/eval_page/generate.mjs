// Writes documents as the page of `lmthing eval` has them: `node generate.mjs small` has one of everything that the page shows,
// `hostile` content that would like to run, `two` two evals, `models` one variant with several models; `node generate.mjs many 1000`
// a thousand rows of two variants.
const USAGE = { inputTokens: 420, outputTokens: 36, totalTokens: 456, reasoningTokens: null, cachedInputTokens: null };
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A line of OUT with the other columns of its row. */
function line({ row, variant = 'default', model = 'openai:gpt-5-mini', repeat = 1, input, columns = {}, scores = {}, ...rest }) {
  const answer = rest.error || rest.output !== undefined ? {} : { text: `Answer ${row} of ${variant}` };
  return { row, variant, model, repeat, input, columns, ...answer, finishReason: rest.error ? null : 'stop', usage: USAGE, cost: 0.00042, durationMs: 800 + row * 7, scores, ...rest };
}

const yes = (pass, reason) => ({ score: pass ? 1 : 0, pass, ...(reason && { reason }) });
const part = (score, reason) => ({ score, ...(reason && { reason }) });

/** Groups as the program makes them, with intervals that are only wide enough to be seen. */
function groupsOf(lines, scoreNames) {
  const names = [...new Set(lines.map(({ variant, model }) => JSON.stringify([variant, model])))].map((name) => JSON.parse(name));
  return names.map(([variant, model]) => {
    const own = lines.filter((each) => each.variant === variant && each.model === model);
    const summary = (name) => {
      const known = own.map(({ scores }) => (Object.hasOwn(scores, name) ? scores[name] : null)).filter((score) => typeof score?.score === 'number');
      if (known.length === 0) return { kind: 'number', n: 0, mean: null, low: null, high: null };
      const value = mean(known.map(({ score }) => score));
      const half = 1 / Math.sqrt(known.length + 1) / 2;
      return { kind: 'pass' in known[0] ? 'boolean' : 'number', n: known.length, mean: value, low: Math.max(value - half, 0), high: Math.min(value + half, 1) };
    };
    const [errors, count] = [own.filter(({ error }) => error).length, own.length];
    const usage = { ...USAGE, inputTokens: 420 * count, outputTokens: 36 * count, totalTokens: 456 * count };
    return { variant, model, cells: count, errors, cost: 0.00042 * count, judgeCost: 0.0011 * count, usage, durationMs: { p50: 934, p95: 2310 }, scores: Object.fromEntries(scoreNames.map((name) => [name, summary(name)])) };
  });
}

/** Rows on which variants disagree, as the program finds them. */
function disagreeing(lines, scoreNames) {
  const disagree = (row, name) => {
    const known = lines.filter((each) => each.row === row && Object.hasOwn(each.scores, name)).map(({ scores }) => scores[name]).filter(({ score }) => typeof score === 'number');
    const scores = known.map(({ score }) => score);
    return Math.max(...scores) - Math.min(...scores) >= (known.some(({ pass }) => pass === undefined) ? 0.25 : 0.001);
  };
  return [...new Set(lines.map(({ row }) => row))].filter((row) => scoreNames.some((name) => disagree(row, name)));
}

function evalOf(file, lines, scoreNames, { differences = [], baselineLines = null, ...more } = {}) {
  const rows = new Set(lines.map(({ row }) => row)).size;
  const groups = groupsOf(lines, scoreNames);
  const isKnown = ({ variant, model }) => baselineLines?.some((line) => line.variant === variant && line.model === model);
  const baselineGroups = baselineLines && groups.map((group) => (isKnown(group) ? [group.variant, group.model] : null));
  return { file, rows, cells: lines.length, groups, differences, scoreNames, lines, disagreeing: disagreeing(lines, scoreNames), baseline: null, baselineGroups, baselineLines, ...more };
}

const document = (evals, more = {}) => ({ evals, ok: true, failures: [], version: '0.1.0', created: '2026-11-28T13:00:00Z', ...more });

const TICKETS = ['My parcel has not arrived, where is it?', 'I was charged twice for order 4411.', 'How do I reset my password?', 'The app crashes when I open the camera.', 'Please delete my account.', 'Do you ship to Norway?'];
const LONG = Array.from({ length: 60 }, (_, index) => `${index + 1}. A sentence of an answer that is longer than anyone wants to read at once.`).join('\n');

function small() {
  const model = 'openai:gpt-5-mini';
  const lines = [];
  for (let row = 1; row <= 12; row++) {
    const input = { ticket: `${TICKETS[row % 6]}${row > 6 ? ' It is urgent.' : ''}` };
    const columns = { expected: row % 2 ? 'delivery' : 'billing', tags: ['mail', { from: 'shop', priority: row }] };
    for (const [index, variant] of ['control', 'short', 'with-examples'].entries()) {
      const right = !(row % 5 === 0 && index === 0) && !(row === 3 && index === 1);
      const isFailed = row === 8 && index === 2;
      if (isFailed) {
        lines.push(line({ row, variant, model, input, columns, error: { code: 5, kind: 'provider', message: 'openai answered 529: overloaded', hint: 'the same command asks for this cell again' } }));
        continue;
      }
      const polite = row === 6 && index === 1 ? { score: null, error: 'TypeError: cannot read property of undefined' } : part(0.4 + (row % 5) / 10 + index / 20, row % 3 === 0 ? 'It thanks the customer, and says what happens next.' : undefined);
      const scores = { right: yes(right, right ? undefined : `said “${right}” instead of ${columns.expected}`), polite, brief: yes(row % 4 !== 0 || index !== 1) };
      const answer = index === 2 ? { output: { category: right ? columns.expected : 'other', confidence: 0.5 + row / 40, steps: ['read', 'sort'] } } : { text: row === 7 ? LONG : `Dear customer, we have looked into it: ${input.ticket} This belongs to ${right ? columns.expected : 'other'}.` };
      lines.push(line({ row, variant, model, input, columns, scores, ...answer }));
    }
  }
  const earlier = lines.filter(({ row, error }) => row < 12 && !error).map((each) => {
    const isOther = each.row % 5 === 1;
    const scores = isOther ? { ...each.scores, right: yes(each.variant === 'control' && each.row === 1) } : each.scores;
    return { ...each, scores, ...(isOther && each.text && { text: `Dear customer, we looked into this: ${each.input.ticket} It belongs to billing.` }) };
  });
  const differences = [
    ['right', 'short', 'first', 0.08, -0.06, 0.22, 'no difference shown'],
    ['right', 'with-examples', 'first', 0.17, 0.02, 0.31, 'better'],
    ['brief', 'short', 'first', -0.25, -0.41, -0.09, 'worse'],
    ['right', 'control', 'baseline', 0.17, 0.01, 0.33, 'better'],
    ['right', 'short', 'baseline', 0.08, -0.1, 0.26, 'no difference shown'],
  ].map(([score, variant, against, value, low, high, verdict]) => ({ score, variant, model, against, other: [against === 'first' ? 'control' : variant, model], n: 12, mean: value, low, high, verdict }));
  return document([evalOf('evals/triage.eval.lmt.mjs', lines, ['right', 'polite', 'brief'], { differences, baseline: 'results/monday.jsonl', baselineLines: earlier })], { ok: false, failures: ['right of control (openai:gpt-5-mini) is 0.833, below 0.9'] });
}

function many(rows) {
  const lines = [];
  for (let row = 1; row <= rows; row++) {
    const input = { question: `Question ${row}: ${TICKETS[row % 6]}` };
    for (const variant of ['control', 'changed']) {
      const right = variant === 'control' ? row % 3 > 0 : row % 4 > 0;
      const text = `${row === Math.ceil(rows * 0.9) ? 'the needle is here. ' : ''}${`An answer of ${variant} with some words in it. `.repeat(12)}`;
      lines.push(line({ row, variant, input, columns: { expected: 'yes' }, text, scores: { right: yes(right), close: part((row % 11) / 11, 'by the number of shared words') } }));
    }
  }
  const baselineLines = lines.map((each) => (each.row % 50 === 0 ? { ...each, scores: { ...each.scores, right: yes(!each.scores.right.pass) } } : each));
  return document([evalOf('many.eval.lmt.mjs', lines, ['right', 'close'], { baseline: 'before.jsonl', baselineLines })]);
}

const EVIL = '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><!--<script>\u2028\u2029]]>&lt;b&gt;';
const BIDI = '\u202e\u2066right to left\u200f \u202dforced';
const WIDE = 'w'.repeat(600);

function hostile() {
  const names = ['__proto__', 'constructor', 'toString', `<b onclick="window.pwned=1">${EVIL}`, WIDE];
  // A literal would set the prototype.
  const object = (entries) => Object.fromEntries(entries);
  const lines = [];
  for (let row = 1; row <= 4; row++) {
    const input = object([['__proto__', EVIL], ['constructor', { hasOwnProperty: 1, __proto__: null, deep: JSON.parse(`${'['.repeat(100)}1${']'.repeat(100)}`) }], [WIDE, `\u0000\u0001\u001b[31m${BIDI}`], [EVIL, row]]);
    const columns = object([['__proto__', `${EVIL} ${BIDI}`], ['hasOwnProperty', WIDE]]);
    for (const variant of ['__proto__', `${EVIL}${BIDI}`, WIDE]) {
      const scores = object(names.map((name, index) => [name, index === 2 && row === 1 ? { score: null, error: EVIL } : yes((row + index + variant.length) % 2 === 0, `${EVIL}${BIDI}${WIDE}`)]));
      const answer = row === 2 ? { output: object([['__proto__', EVIL], ['text', `${WIDE}\n${EVIL}`]]) } : { text: `${EVIL}\n${WIDE}\n${BIDI}\u0000\ud800` };
      const failed = row === 3 && variant === '__proto__' ? { error: { code: 1, kind: EVIL, message: `${EVIL}${WIDE}`, hint: BIDI }, scores: {} } : { ...answer, scores };
      lines.push(line({ row, variant, model: `${EVIL}:${BIDI}`, input, columns, ...failed }));
    }
  }
  const differences = [{ score: '__proto__', variant: WIDE, model: `${EVIL}:${BIDI}`, against: 'first', other: ['__proto__', EVIL], n: 4, mean: 0.1, low: -0.1, high: 0.3, verdict: 'no difference shown' }];
  const earlier = lines.filter(({ error }) => !error).map((each) => ({ ...each, scores: object(names.map((name) => [name, yes(true)])), text: `${each.text} ${EVIL}` }));
  return document([evalOf(`<b>${EVIL}/${BIDI}.eval.lmt.mjs`, lines, names, { differences, baseline: EVIL, baselineLines: earlier })], { ok: false, failures: [`${EVIL}${WIDE}`] });
}

function two() {
  const lines = [1, 2].flatMap((row) => [1, 2, 3].map((repeat) => line({ row, repeat, input: { question: `Equal to ${row}?`, times: row }, scores: { right: yes(repeat < 3) } })));
  return document([...small().evals, evalOf('evals/second.eval.lmt.mjs', lines, ['right'])]);
}

function models() {
  const lines = [1, 2, 3].flatMap((row) => ['openai:gpt-5', 'anthropic:claude-sonnet-4-5', 'mistral:large', 'google:gemini-2.5-flash', 'x:1', 'x:2', 'x:3', 'x:4'].map((model, index) => line({ row, model, input: { n: row }, scores: { right: yes((row + index) % 3 > 0) } })));
  return document([evalOf('models.eval.lmt.mjs', lines, ['right'])]);
}

const KINDS = { small, many, hostile, two, models };
const [, , kind, size] = process.argv;
console.log(JSON.stringify(KINDS[kind](Number(size))));
