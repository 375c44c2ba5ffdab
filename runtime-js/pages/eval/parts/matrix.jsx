// The matrix: a row for each variant with a model, a column for each score, with mean, interval and differences.
import { count, dollars, duration, plural } from '../../shared/words.js';
import { fraction, markOf, signed } from '../model/scores.js';
import { Interval } from './interval.jsx';

export function Matrix({ evaluation }) {
  const { groups, scoreNames } = evaluation;
  if (groups.length === 0) return <p class="note">No cell was run.</p>;
  return (
    <section class="matrix" aria-label="Scores of each variant and model">
      <div class="wide" tabIndex={0}>
        {/* The roles stay where a narrow window shows the table as blocks. */}
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">
                {groups.every(({ name, model }) => name === model) ? 'Model' : 'Variant'}
              </th>
              {scoreNames.map((name) => (
                <th key={name} role="columnheader" scope="col" class="score">
                  <bdi title={name}>{name}</bdi>
                </th>
              ))}
              {FACTS.map(({ name }) => (
                <th key={name} role="columnheader" scope="col" class="fact">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {groups.map((group) => (
              <Group key={group.index} group={group} evaluation={evaluation} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="legend">
        Each bar goes from 0 to 1: the mean, its 95 % interval, and a dotted line at the mean of the first. A difference counts as better or worse only if its interval is on one side of 0.
      </p>
    </section>
  );
}

const or = (value, write) => (typeof value === 'number' ? write(value) : '–');

const FACTS = [
  { name: 'Errors', read: ({ errors }) => (errors > 0 ? <b class="bad">! {count(errors)}</b> : '0') },
  { name: 'Cost', read: ({ cost }) => or(cost, dollars) },
  { name: 'Judges’ cost', read: ({ judgeCost }) => or(judgeCost, dollars) },
  { name: 'Tokens', read: ({ usage }) => `${or(usage?.inputTokens, count)} → ${or(usage?.outputTokens, count)}` },
  { name: 'Time p50', read: ({ durationMs }) => or(durationMs?.p50, duration) },
  { name: 'Time p95', read: ({ durationMs }) => or(durationMs?.p95, duration) },
];

function Group({ group, evaluation }) {
  const { scoreNames, differences, groups } = evaluation;
  const isOwn = ({ variant, model }) => variant === group.variant && model === group.model;
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        <bdi class="variant" title={group.name}>
          {group.name === group.model ? group.model : group.variant}
        </bdi>
        {group.name !== group.model && group.name !== group.variant && <bdi class="model">{group.model}</bdi>}
      </th>
      {scoreNames.map((name) => (
        <td key={name} role="cell" class="score" data-label={name}>
          <Mean
            summary={group.scores.get(name)}
            reference={group.index > 0 ? groups[0].scores.get(name)?.mean : null}
            nameOf={evaluation.nameOf}
            differences={differences.filter((difference) => difference.score === name && isOwn(difference))}
          />
        </td>
      ))}
      {FACTS.map(({ name, read }) => (
        <td key={name} role="cell" class="fact" data-label={name}>
          {read(group)}
        </td>
      ))}
    </tr>
  );
}

function Mean({ summary, reference, differences, nameOf }) {
  if (typeof summary?.mean !== 'number') return <span class="soft">no score</span>;
  const { mean, low, high, n } = summary;
  return (
    <>
      <p class="mean">
        <b>{fraction(mean)}</b> <small>{`${fraction(low)} … ${fraction(high)}, ${plural(n, 'row')}`}</small>
      </p>
      <Interval mean={mean} low={low} high={high} reference={reference} />
      {differences.map((difference) => (
        <Difference key={difference.against} {...difference} nameOf={nameOf} />
      ))}
    </>
  );
}

function Difference({ against, other, mean, low, high, verdict, n, nameOf }) {
  const { sign, tone } = markOf(verdict);
  const than = against === 'baseline' ? 'the baseline' : other ? nameOf(...other) : 'the first';
  return (
    <p class="difference" title={`${signed(low)} … ${signed(high)} over ${plural(n, 'row')}`}>
      <span class={`verdict ${tone}`}>
        <span aria-hidden="true">{sign}</span> {verdict}
      </span>{' '}
      <small>
        <span class="range">
          {signed(mean)} ({signed(low)} … {signed(high)})
        </span>{' '}
        against <bdi>{than}</bdi>
      </small>
    </p>
  );
}
