// What has changed since the baseline, counted by rows.
import { useMemo } from 'preact/hooks';
import { count, plural } from '../../shared/words.js';
import { changeCounts } from '../model/baseline.js';

export function Changes({ evaluation, onFilter }) {
  const { rows, scoreNames, baseline } = evaluation;
  const counts = useMemo(() => changeCounts(evaluation), [evaluation]);
  const added = rows.filter(({ earlier }) => !earlier).length;
  const changed = rows.filter(({ changes }) => changes.length > 0).length;
  return (
    <section class="changes" aria-label="Changes since the baseline">
      <h2>
        Since the baseline <bdi class="name">{baseline.name}</bdi>
      </h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              {scoreNames.map((name) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
              <th scope="col">Other answers</th>
            </tr>
          </thead>
          <tbody>
            {counts.map(({ group, scores, answers, known }) => (
              <tr key={group.index}>
                <th scope="row">
                  <bdi>{group.name}</bdi>
                </th>
                {scores.map((score) => (
                  <td key={score.name}>{known === 0 ? '–' : <Counts {...score} />}</td>
                ))}
                <td>{known === 0 ? 'not in the baseline' : `${count(answers)} of ${count(known)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        {changed === 0 ? 'No row has another score. ' : null}
        {changed > 0 && (
          <button type="button" onClick={() => onFilter('changed')}>
            Show {plural(changed, 'row')} with other scores
          </button>
        )}{' '}
        {added > 0 && <span class="soft">{plural(added, 'row')} not in the baseline.</span>}
      </p>
    </section>
  );
}

const Counts = ({ better, worse, same }) => (
  <>
    <span class={better > 0 ? 'good' : 'soft'}>▲ {count(better)} better</span> <span class={worse > 0 ? 'bad' : 'soft'}>▼ {count(worse)} worse</span> <span class="soft">= {count(same)}</span>
  </>
);
