// The summary of the run.
import { clock as dateAndTime, count, dollars, duration, plural, preview } from '../../shared/words.js';
import { stringify, text } from '../../shared/values.js';
import { stateOf, stateOfEnd, waitingCalls } from '../model/states.js';
import { Copy } from '../../shared/copy.jsx';
import { CacheBySteps } from './cache.jsx';
import { UsageByAgent } from './usage.jsx';

export function Summary({ run, totals, damaged, actions }) {
  const { usage, cost, models, steps, allSteps } = totals;
  const token = (value) => (value === null || value === undefined ? '–' : count(value));
  const extras = [
    usage.cachedInputTokens ? `${count(usage.cachedInputTokens)} cached` : '',
    usage.reasoningTokens ? `${count(usage.reasoningTokens)} reasoning` : '',
  ].filter(Boolean);
  return (
    <section class="summary" aria-label="Summary">
      <dl>
        <Fact name="State">{stateOf(run).word}</Fact>
        <Fact name="Started">{run.starts.length > 0 || run.root.start ? dateAndTime(run.root.start) : '–'}</Fact>
        <Fact name="Duration">{duration(totals.duration)}</Fact>
        <Fact name="Steps" more={allSteps > steps ? `${count(allSteps)} with agents` : ''}>
          {count(steps)}
        </Fact>
        <Fact name="Tool calls">{count(totals.tools)}</Fact>
        {totals.agents > 0 && <Fact name="Agents">{count(totals.agents)}</Fact>}
        <Fact name="Tokens" more={extras.join(', ')}>
          {token(usage.inputTokens)} → {token(usage.outputTokens)}
        </Fact>
        <Fact name="Cost">{cost === null ? 'unknown' : dollars(cost)}</Fact>
        <Fact name="Model" more={models.length > 1 ? `and ${plural(models.length - 1, 'other')}` : ''}>
          {text(run.finish?.model) || models[0] || '–'}
        </Fact>
      </dl>
      <p class="origin">
        <span>{run.file}</span> <span>{run.id}</span>
        {run.starts.length > 1 && <span>resumed {run.starts.length === 2 ? 'once' : `${run.starts.length - 1} times`}</span>}
      </p>
      <Problem run={run} />
      <Waiting run={run} />
      {damaged.length > 0 && <p class="note">{damagedWords(damaged)}</p>}
      <p class="jumps">
        {totals.failures.length > 0 && (
          <button type="button" onClick={() => actions.failure(1)} title="Next problem (e)">
            {plural(totals.failures.length, 'problem')}
          </button>
        )}
        {totals.warnings.length > 0 && (
          <button type="button" onClick={() => actions.next(totals.warnings, 1)}>
            {plural(totals.warnings.length, 'warning')}
          </button>
        )}
        {totals.retries.length > 0 && (
          <button type="button" onClick={() => actions.next(totals.retries, 1)}>
            {totals.retries.length === 1 ? '1 retry' : `${count(totals.retries.length)} retries`}
          </button>
        )}
      </p>
      <UsageByAgent run={run} />
      <CacheBySteps run={run} />
    </section>
  );
}

const Fact = ({ name, more, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {children} {more && <small>{more}</small>}
    </dd>
  </div>
);

function Problem({ run: { finish } }) {
  const error = finish?.error;
  if (!error) return null;
  return (
    <div class={`problem is-${stateOfEnd(finish).tone}`} role="note">
      <p>{text(error.message ?? error)}</p>
      {error.hint && <p class="hint">{text(error.hint)}</p>}
    </div>
  );
}

/** Ids that mean nothing to a shell. */
const PLAIN = /^[\w.-]{1,200}$/;

function Waiting({ run }) {
  const calls = waitingCalls(run);
  if (calls.length === 0) return null;
  return (
    <ul class="waiting" aria-label="Calls that wait for approval">
      {calls.map(({ call, name, args, path }, index) => {
        const command = `lmthing resume ${run.id} --approve ${call}`;
        return (
          <li key={index}>
            <b>{name}</b> <code>{preview(stringify(args) ?? '', 300)}</code> {path.length > 0 && `of ${path.join(' › ')} `}
            {PLAIN.test(call) && PLAIN.test(run.id) && (
              <span class="command">
                <code>{command}</code> <Copy text={() => command} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function damagedWords(lines) {
  const shown = lines.slice(0, 10).join(', ');
  const rest = lines.length > 10 ? ` and ${count(lines.length - 10)} more` : '';
  return `Left out, for they are damaged: ${lines.length === 1 ? 'line' : 'lines'} ${shown}${rest}.`;
}
