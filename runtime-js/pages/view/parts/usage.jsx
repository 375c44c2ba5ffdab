// Tokens and cost by agent.
import { useMemo } from 'preact/hooks';
import { totalsByAgent } from '../model/totals.js';
import { count, dollars } from '../../shared/words.js';
import { Table } from './table.jsx';

const COLUMNS = ['Agent', 'Steps', 'Tool calls', 'Input', 'Cached', 'Output', 'Reasoning', 'Cost'];

export function UsageByAgent({ run }) {
  const rows = useMemo(() => totalsByAgent(run), [run]);
  if (run.agents.length === 0) return null;
  return (
    <Table class="usage" open={rows.length <= 8} title="Tokens and cost by agent" columns={COLUMNS}>
      {rows.map((row, index) => (
        <Row key={index} {...row} />
      ))}
    </Table>
  );
}

function Row({ name, anchor, agents, steps, tools, usage, cost }) {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = usage;
  const counts = [steps, tools, inputTokens, cachedInputTokens, outputTokens, reasoningTokens];
  return (
    <tr>
      <th scope="row">
        {anchor ? <a href={`#${anchor}`}>{name}</a> : name} {agents > 1 && <small>× {count(agents)}</small>}
      </th>
      {counts.map((value, index) => (
        <td key={index}>{value === null ? '–' : count(value)}</td>
      ))}
      <td>{cost === null ? '–' : dollars(cost)}</td>
    </tr>
  );
}
