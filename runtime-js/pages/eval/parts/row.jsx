// A row of the eval: its head with the scores of all groups, and when it is open its columns and the answers.
import { memo } from '../../shared/memo.js';
import { Safe } from '../../shared/safe.jsx';
import { stringify } from '../../shared/values.js';
import { plural, preview } from '../../shared/words.js';
import { wordOfAll } from '../model/scores.js';
import { Answers } from './answers.jsx';
import { Columns } from './columns.jsx';

export const Row = memo(({ row, evaluation, isOpen, isCurrent, extent, actions }) => (
  <article class={`row${isOpen ? ' open' : ''}`} data-node={row.id} tabIndex={isCurrent ? 0 : -1} aria-label={`Row ${row.number}`} onFocus={() => actions.select(row)}>
    <div class="line">
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => actions.fold(row)}>
        <span class="mark" aria-hidden="true" />
        <span class="number">{row.number}</span>
        <bdi class="preview">{preview(inputLine(row.input), 200) || '(no input)'}</bdi>
      </button>
      <Tags row={row} />
      <span class="groups">
        {row.answers.map((cells, index) => (
          <Scores key={index} cells={cells} name={evaluation.groups[index].name} scoreNames={evaluation.scoreNames} />
        ))}
      </span>
    </div>
    {isOpen && (
      <Safe name="row">
        <div class="inside">
          <Columns row={row} extent={extent} />
          <Answers row={row} evaluation={evaluation} extent={extent} />
        </div>
      </Safe>
    )}
  </article>
));

/** A single text as it is, other input as JSON. */
function inputLine(input) {
  const values = Object.values(input);
  if (values.length === 1 && typeof values[0] === 'string') return values[0];
  return Object.entries(input).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : stringify(value)}`).join('  ');
}

function Tags({ row: { disagrees, errors, scoreErrors, changes } }) {
  const better = changes.filter(({ before, now }) => now > before).length;
  const worse = changes.length - better;
  const tags = [
    disagrees && ['wait', '≠ disagree'],
    errors + scoreErrors > 0 && ['bad', `! ${plural(errors + scoreErrors, 'error')}`],
    better > 0 && ['good', `▲ ${better} better`],
    worse > 0 && ['bad', `▼ ${worse} worse`],
  ].filter(Boolean);
  return (
    <span class="tags">
      {tags.map(([tone, words]) => (
        <span key={words} class={`state ${tone}`}>
          {words}
        </span>
      ))}
    </span>
  );
}

/** The scores of a group in the head of a row. */
function Scores({ cells, name, scoreNames }) {
  const failed = cells.filter(({ error }) => error).length;
  return (
    <span class="marks">
      <small class="of">
        <bdi>{name}</bdi>
      </small>
      {cells.length === 0 && <span class="soft">not run</span>}
      {failed > 0 && <span class="bad">! failed{cells.length > 1 ? ` ${failed}/${cells.length}` : ''}</span>}
      {failed < cells.length &&
        scoreNames.map((score) => {
          const { sign, word, tone } = wordOfAll(cells, score);
          return (
            <span key={score} class={`mark-of ${tone}`} title={`${score}: ${word}`}>
              {sign}
            </span>
          );
        })}
    </span>
  );
}
