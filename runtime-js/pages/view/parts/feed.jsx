// The list of rows.
import { List } from '../../shared/list.jsx';
import { Row } from './row.jsx';

const ESTIMATES = { step: 44, agent: 44, tool: 150, text: 60, reasoning: 60, message: 60, system: 80 };
const estimate = ({ kind }) => ESTIMATES[kind] ?? 36;

export function Feed({ rows, folding, current, clock, actions, goal, isPrinted, onRendered }) {
  const row = (node, index) => (
    <Row
      key={node.id}
      node={node}
      isOpen={folding.isOpen(node)}
      extent={isPrinted && folding.extent(node) === 'part' ? 'much' : folding.extent(node)}
      exchange={folding.exchange(node)}
      isCurrent={node === current}
      clock={clock}
      position={index}
      total={rows.length}
      actions={actions}
    />
  );
  return (
    <section class="feed" role="feed" aria-label="What happened" aria-busy="false">
      <List nodes={rows} render={row} estimate={estimate} current={current} goal={goal} isPrinted={isPrinted} onRendered={onRendered} />
    </section>
  );
}
