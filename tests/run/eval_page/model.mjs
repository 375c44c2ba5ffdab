// Checks what the page of evals computes: `node model.mjs` ends with 1 if something does not hold.
import assert from 'node:assert/strict';
import { changeCounts } from '../../../runtime-js/pages/eval/model/baseline.js';
import { readDocument } from '../../../runtime-js/pages/eval/model/evals.js';
import { visibleRows } from '../../../runtime-js/pages/eval/model/rows.js';
import { fraction, signed, wordOfAll } from '../../../runtime-js/pages/eval/model/scores.js';

const yes = (pass) => ({ score: pass ? 1 : 0, pass });
const number = (score) => ({ score });
const line = (row, variant, scores, more = {}) => ({ row, variant, model: 'm', repeat: 1, input: { row }, text: `answer ${row}`, scores, ...more });
const group = (variant, model = 'm') => ({ variant, model, cells: 1, errors: 0, cost: null, judgeCost: 0, usage: {}, durationMs: {}, scores: {} });

function read(lines, { baselineLines = null, disagreeing = [], scoreNames = ['right'], groups = [group('a'), group('b')] } = {}) {
  const baselineGroups = groups.map(({ variant, model }) => (baselineLines?.some((line) => line.variant === variant && line.model === model) ? [variant, model] : null));
  const [evaluation] = readDocument({ evals: [{ file: 'x', groups, differences: [], scoreNames, lines, disagreeing, baselineGroups, baselineLines }], ok: true }).evals;
  return evaluation;
}

const PLAIN = { filter: 'all', failed: null, query: '', order: 'disagreeing' };
const shown = ({ rows }, choice) => visibleRows(rows, { ...PLAIN, ...choice }).map((row) => row.number);

// Disagreement, errors, changes, the others; a large difference before a small one.
const failed = { error: { code: 5, kind: 'provider', message: 'Overloaded' } };
const both = (row, a, b, more) => [line(row, 'a', { right: a }, more), line(row, 'b', { right: b }, more)];
const lines = [...both(1, yes(true), yes(true)), ...both(2, yes(false), yes(false)), line(3, 'a', {}, failed), line(3, 'b', { right: yes(true) }), ...both(4, number(0.2), number(0.5)), ...both(5, yes(true), yes(false)), ...both(6, number(0.2), number(0.4))];
const before = [line(2, 'a', { right: yes(true) })];
const evaluation = read(lines, { baselineLines: before, disagreeing: [4, 5] });
assert.deepEqual(shown(evaluation), [5, 4, 3, 2, 6, 1]);
assert.deepEqual(shown(evaluation, { filter: 'disagree' }), [5, 4]);
assert.deepEqual(shown(evaluation, { filter: 'errors' }), [3]);
assert.deepEqual(shown(evaluation, { filter: 'worse' }), [2]);
assert.deepEqual(shown(evaluation, { filter: 'better' }), []);
assert.deepEqual(shown(evaluation, { filter: 'reworded' }), []);
assert.deepEqual(shown(evaluation, { failed: 'right' }), [5, 4, 2, 6]);
assert.deepEqual(shown(evaluation, { query: ' OVERLOADED ' }), [3]);
assert.deepEqual(shown(evaluation, { query: 'answer 5' }), [5]);
assert.deepEqual(shown(evaluation, { order: 'lowest' }), [2, 6, 4, 5, 1, 3]);
assert.equal(evaluation.cost, null, 'one cost is unknown');

// Rows of the baseline by their numbers.
const equal = (row, pass, text) => line(row, 'a', { right: yes(pass) }, { input: { x: 1 }, text });
const earlier = [equal(2, true, 'second'), equal(1, false, 'first')];
const joined = read([equal(1, true, 'first'), equal(2, true, 'other'), equal(3, true, 'third')], { baselineLines: earlier, groups: [group('a')] });
assert.deepEqual(joined.rows.map(({ earlier }) => earlier?.[0][0].text), ['first', 'second', undefined]);
assert.deepEqual(joined.rows.map(({ changes }) => changes), [[{ group: 0, name: 'right', before: 0, now: 1 }], [], []]);
assert.deepEqual(joined.rows.map(({ reworded }) => reworded), [[], [0], []]);
assert.deepEqual(changeCounts(joined).map(({ scores, answers, known }) => ({ scores, answers, known })), [{ scores: [{ name: 'right', better: 1, worse: 0, same: 1 }], answers: 1, known: 2 }]);

// Names of every object are names like others.
const odd = read([line(1, '__proto__', Object.fromEntries([['__proto__', yes(false)], ['constructor', yes(true)]]))], { scoreNames: ['__proto__', 'constructor', 'toString'], groups: [group('__proto__')] });
assert.deepEqual(['__proto__', 'constructor', 'toString'].map((name) => wordOfAll(odd.rows[0].answers[0], name).word), ['no', 'yes', 'no score']);
assert.deepEqual(shown(odd, { failed: 'toString' }), []);
assert.deepEqual(shown(odd, { failed: '__proto__' }), [1]);

// Repetitions, and a score that failed in one of them.
const cells = (scores) => read(scores.map((right, index) => line(1, 'a', { right }, { repeat: index + 1 })), { groups: [group('a')] }).rows[0].answers[0];
assert.equal(wordOfAll(cells([yes(true), yes(true), yes(false)]), 'right').word, '2/3');
assert.equal(wordOfAll(cells([number(0.25), number(0.5)]), 'right').word, '0.375');
assert.equal(wordOfAll(cells([yes(true), { score: null, error: 'no' }]), 'right').word, 'error');
assert.deepEqual([0.5, 0.9254, 1, 0.999].map(fraction), ['0.50', '0.925', '1.00', '0.999']);
assert.deepEqual([0.1, -0.1234, 0, -0.0001].map(signed), ['+0.10', '−0.123', '0.00', '0.00']);

// What is missing, or no document at all.
assert.deepEqual(readDocument({}).evals, []);
assert.equal(read([line(1, 'a', { right: yes(true) })]).missing, 1);
