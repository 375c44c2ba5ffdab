// What was run, and whether all is well.
import { clock, count, dollars, plural } from '../../shared/words.js';

export function Summary({ evaluation, report, onFilter }) {
  const { file, groups, cells, cost, judgeCost, inputTokens, outputTokens, baseline } = evaluation;
  const tokens = (value) => (value === null ? '–' : count(value));
  const money = (value) => (value === null ? 'unknown' : dollars(value));
  return (
    <section class="summary" aria-label="Summary">
      <p class="size">
        {sizeOf(evaluation)} = <b>{plural(cells, 'cell')}</b>
      </p>
      <dl>
        <Fact name="When">{report.created === null ? '–' : clock(report.created)}</Fact>
        {new Set(groups.map(({ model }) => model)).size === 1 && <Fact name="Model">{groups[0].model}</Fact>}
        <Fact name="Tokens">
          {tokens(inputTokens)} → {tokens(outputTokens)}
        </Fact>
        <Fact name="Cost">{money(cost)}</Fact>
        <Fact name="Judges’ cost">{money(judgeCost)}</Fact>
        {baseline && <Fact name="Baseline">{baseline.name || 'an earlier OUT'}</Fact>}
      </dl>
      <p class="origin">
        <bdi>{file}</bdi> {report.version && <span>lmthing {report.version}</span>}
      </p>
      <Problems evaluation={evaluation} report={report} onFilter={onFilter} />
    </section>
  );
}

const Fact = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** `40 rows × 2 variants × 3 models × 1 repetition`. */
function sizeOf({ rows, groups, repeats }) {
  const distinct = (property) => new Set(groups.map((group) => group[property])).size;
  const [variants, models] = [distinct('variant'), distinct('model')];
  const isFull = variants * models === groups.length;
  const parts = isFull ? [plural(variants, 'variant'), plural(models, 'model')] : [`${plural(groups.length, 'pair')} of variant and model`];
  return [plural(rows.length, 'row'), ...parts, plural(repeats, 'repetition')].join(' × ');
}

function Problems({ evaluation: { errors, scoreErrors, missing }, report: { isOk, failures, evals }, onFilter }) {
  if (failures.length === 0 && errors + scoreErrors + missing === 0) {
    const isHere = !isOk && evals.length === 1;
    return isHere && <p class="problem">The eval has not come to its end, or a limit was not met.</p>;
  }
  return (
    <div class="problem" role="note">
      <ul>
        {failures.map((failure, index) => (
          <li key={index}>{failure}</li>
        ))}
        {errors > 0 && <li>{errors === 1 ? 'One cell has failed.' : `${count(errors)} cells have failed.`}</li>}
        {scoreErrors > 0 && <li>{scoreErrors === 1 ? 'One score has failed.' : `${count(scoreErrors)} scores have failed.`}</li>}
        {missing > 0 && <li>{missing === 1 ? 'One cell was not run.' : `${count(missing)} cells were not run.`}</li>}
      </ul>
      {errors + scoreErrors > 0 && (
        <button type="button" onClick={() => onFilter('errors')}>
          Show the rows with errors
        </button>
      )}
    </div>
  );
}
