// The answers to a row next to each other, a column for each group; that of the baseline before one that has changed.
import { useState } from 'preact/hooks';
import { dollars, duration, plural, tokens } from '../../shared/words.js';
import { usage } from '../../shared/values.js';
import { answerText } from '../model/baseline.js';
import { wordOf } from '../model/scores.js';
import { Comparison } from './comparison.jsx';
import { Value } from './value.jsx';

/** Repetitions that are rendered before they are asked for. */
const MOST_REPEATS = 5;

export function Answers({ row, evaluation: { groups, scoreNames }, extent }) {
  const pairs = groups.map((group) => columnsOf(row, group));
  const columns = pairs.flat();
  return (
    <>
      <div class="answers">
        {pairs.map((pair, index) => (
          <div key={index} class={pair.length > 1 ? 'pair' : ''}>
            {pair.map((column) => (
              <Column key={column.name} {...column} scoreNames={scoreNames} extent={extent} />
            ))}
          </div>
        ))}
      </div>
      <Comparison choices={choicesOf(columns)} first={columns.findIndex(({ isEarlier }) => isEarlier)} />
    </>
  );
}

/** The column of a group, after that of the baseline if it has changed. */
function columnsOf(row, { index, name }) {
  const now = { name, cells: row.answers[index], isEarlier: false };
  if (!row.earlier || row.earlier[index].length === 0) return [now];
  const hasChanged = row.changes.some((change) => change.group === index) || row.reworded.includes(index);
  return hasChanged ? [{ name: `${name}, baseline`, cells: row.earlier[index], isEarlier: true }, now] : [now];
}

/** The answers that can be compared: `{name, text}`. */
function choicesOf(columns) {
  return columns.flatMap(({ name, cells }) => cells.map((cell) => ({ name: cells.length > 1 ? `${name}, ${cell.repeat}` : name, text: answerText(cell) })));
}

function Column({ name, cells, isEarlier, scoreNames, extent }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? cells : cells.slice(0, MOST_REPEATS);
  return (
    <section class={isEarlier ? 'column earlier' : 'column'} aria-label={name}>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      {cells.length === 0 && <p class="soft">Not run.</p>}
      {shown.map((cell) => (
        <Answer key={cell.repeat} cell={cell} isRepeated={cells.length > 1} scoreNames={scoreNames} extent={extent} />
      ))}
      {shown.length < cells.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {plural(cells.length, 'repetition')}
        </button>
      )}
    </section>
  );
}

function Answer({ cell, isRepeated, scoreNames, extent }) {
  const { error, output, text, finishReason, cost, durationMs } = cell;
  const facts = [finishReason && finishReason !== 'stop' ? finishReason : '', typeof durationMs === 'number' ? duration(durationMs) : '', tokens(usage(cell.usage)), typeof cost === 'number' ? dollars(cost) : ''].filter(Boolean);
  return (
    <div class="answer">
      {isRepeated && <h4>Repetition {cell.repeat}</h4>}
      {error && (
        <p class="error">
          <b>{error.kind}</b> {error.message} {error.hint && <small>{error.hint}</small>}
        </p>
      )}
      {!error && (
        <ul class="scores">
          {scoreNames.map((name) => (
            <Score key={name} name={name} score={cell.scores.get(name)} />
          ))}
        </ul>
      )}
      {(output !== undefined || text !== undefined) && <Value value={output === undefined ? text : output} extent={extent} canCopy />}
      {output === undefined && text === '' && <p class="soft">(an empty answer)</p>}
      <p class="facts">{facts.join(' · ')}</p>
    </div>
  );
}

function Score({ name, score }) {
  const { sign, word, tone } = wordOf(score);
  return (
    <li>
      <span class={tone}>{sign === word ? word : `${sign} ${word}`}</span> <bdi class="name">{name}</bdi>{' '}
      {score?.reason && <bdi class="reason-of">{score.reason}</bdi>}
      {score?.error && <bdi class="bad">{score.error}</bdi>}
    </li>
  );
}
