// The evals of the embedded document as groups (a variant with a model), rows and cells.
import { number, sum, text } from '../../shared/values.js';
import { earlierCells, isReworded, rowChanges } from './baseline.js';
import { byName, meanOf, readCell } from './scores.js';

const list = (value) => (Array.isArray(value) ? value : []);

export function readDocument(data) {
  const created = Date.parse(data.created);
  return {
    evals: list(data.evals).map(readEval),
    isOk: data.ok === true,
    failures: list(data.failures).map(text),
    version: text(data.version),
    created: Number.isNaN(created) ? null : created,
  };
}

function readEval(report, index) {
  const groups = list(report.groups).map((group, at) => ({ ...group, index: at, scores: byName(group.scores) }));
  const nameOf = namer(groups);
  for (const group of groups) group.name = nameOf(group.variant, group.model);
  const scoreNames = report.scoreNames ?? [...new Set(groups.flatMap(({ scores }) => [...scores.keys()]))];
  const lines = list(report.lines);
  const earlier = report.baselineLines ? list(report.baselineLines) : null;
  const rows = readRows(index, lines, groups, scoreNames);
  const disagreeing = new Set(list(report.disagreeing));
  for (const row of rows) row.disagrees = disagreeing.has(row.number);
  if (earlier) addEarlier(rows, earlier, { groups, baselineGroups: list(report.baselineGroups), scoreNames });
  return {
    index,
    file: text(report.file),
    groups,
    nameOf,
    scoreNames,
    differences: list(report.differences),
    rows,
    cells: lines.length,
    repeats: lines.reduce((most, { repeat }) => Math.max(most, repeat ?? 1), 1),
    errors: lines.filter(({ error }) => error).length,
    scoreErrors: rows.reduce((total, row) => total + row.scoreErrors, 0),
    missing: rows.reduce((total, row) => total + row.answers.filter((cells) => cells.length === 0).length, 0),
    baseline: earlier && { name: text(report.baseline) },
    ...totals(groups),
  };
}

/** Names a variant with a model by what distinguishes it from the other groups. */
function namer(groups) {
  const isOne = (property) => new Set(groups.map((group) => group[property])).size <= 1;
  const [isOneVariant, isOneModel] = [isOne('variant'), isOne('model')];
  return (variant, model) => {
    if (isOneModel) return isOneVariant && variant === 'default' ? model : variant;
    return isOneVariant ? model : `${variant} · ${model}`;
  };
}

function totals(groups) {
  const all = (read) => (groups.some((group) => read(group) === null) ? null : sum(groups.map(read)));
  return {
    cost: all(({ cost }) => number(cost)),
    judgeCost: all(({ judgeCost }) => number(judgeCost)),
    inputTokens: sum(groups.map(({ usage }) => number(usage?.inputTokens))),
    outputTokens: sum(groups.map(({ usage }) => number(usage?.outputTokens))),
  };
}

function readRows(index, lines, groups, scoreNames) {
  const places = new Map(groups.map(({ variant, model }, at) => [JSON.stringify([variant, model]), at]));
  const rows = new Map();
  for (const line of lines) {
    const at = places.get(JSON.stringify([line.variant, line.model]));
    if (at === undefined) continue;
    if (!rows.has(line.row)) {
      const answers = groups.map(() => []);
      rows.set(line.row, { id: `${index}-${line.row}`, number: line.row, input: line.input ?? {}, columns: line.columns ?? {}, answers, earlier: null, changes: [], reworded: [] });
    }
    rows.get(line.row).answers[at].push(readCell(line));
  }
  for (const row of rows.values()) judge(row, scoreNames);
  return [...rows.values()];
}

/** What decides the place of a row in the list. */
function judge(row, scoreNames) {
  const cells = row.answers.flat();
  row.errors = cells.filter(({ error }) => error).length;
  row.scoreErrors = cells.reduce((total, { scores }) => total + [...scores.values()].filter(({ error }) => error).length, 0);
  const means = scoreNames.map((name) => row.answers.map((answers) => meanOf(answers, name)).filter((mean) => mean !== null));
  const spreads = means.map((some) => (some.length > 1 ? Math.max(...some) - Math.min(...some) : 0));
  row.spread = Math.max(0, ...spreads);
  const known = means.flat();
  row.mean = known.length > 0 ? sum(known) / known.length : null;
}

function addEarlier(rows, earlier, { groups, baselineGroups, scoreNames }) {
  const find = earlierCells(earlier, groups, baselineGroups);
  for (const row of rows) {
    row.earlier = find(row);
    if (!row.earlier) continue;
    row.changes = rowChanges(row, scoreNames);
    row.reworded = groups.filter((_, index) => isReworded(row, index)).map(({ index }) => index);
  }
}
