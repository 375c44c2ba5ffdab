// The prompt cache, step by step.
import { useMemo } from 'preact/hooks';
import { changeWords, differenceOf, shareRead, shortened } from '../model/cache.js';
import { ownerOf } from '../model/agents.js';
import { walk } from '../model/node.js';
import { count, dollars } from '../../shared/words.js';
import { Table } from './table.jsx';

const COLUMNS = ['Step', 'Read', 'Share', 'Expected', 'Changed', 'Lost', 'Extra cost', 'Difference'];

export function CacheBySteps({ run }) {
  const steps = useMemo(() => [...walk(run.root)].filter((node) => node.kind === 'step' && node.cache), [run]);
  if (steps.length === 0) return null;
  return (
    <Table class="usage cache" open={steps.length <= 20} title="Prompt cache by step" columns={COLUMNS}>
      {steps.map((step) => (
        <Row key={step.id} step={step} />
      ))}
    </Table>
  );
}

function Row({ step }) {
  const { read, expected, brokenBy } = step.cache;
  const share = shareRead(step);
  const owner = ownerOf(step);
  const difference = differenceOf(step);
  return (
    <tr>
      <th scope="row">
        <a href={`#${step.anchor}`}>
          {owner.kind === 'agent' ? `${owner.label}, ` : ''}step {step.number}
        </a>
      </th>
      <td>{count(read)}</td>
      <td>{share === null ? '–' : `${share} %`}</td>
      <td>{count(expected)}</td>
      <td class="words">{brokenBy ? changeWords(brokenBy) : '–'}</td>
      <td>{brokenBy?.tokens ? count(brokenBy.tokens) : '–'}</td>
      <td>{brokenBy?.cost ? dollars(brokenBy.cost) : '–'}</td>
      <td class="words">{difference ? <Difference texts={shortened(difference)} /> : '–'}</td>
    </tr>
  );
}

const Difference = ({ texts: [before, after] }) => (
  <>
    <del>{before || '(none)'}</del> <ins>{after || '(none)'}</ins>
  </>
);
