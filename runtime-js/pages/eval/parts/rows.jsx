// The list of rows.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { List } from '../../shared/list.jsx';
import { Row } from './row.jsx';

/** With more cells, only the rows that are seen are rendered. */
const FEW_CELLS = 120;
/** More groups have no columns of their own in the heads of rows. */
const MOST_COLUMNS = 6;

export function Rows({ evaluation, rows, current, goal, isOpen, isPrinted, onFold, onSelect }) {
  const { groups } = evaluation;
  // Rows compare their props, so these must be stable.
  const latest = useRef({});
  latest.current = { onFold, onSelect };
  const actions = useMemo(() => ({ fold: (row) => latest.current.onFold(row), select: (row) => latest.current.onSelect(row) }), []);
  useFocus(goal);
  const row = (each, index) => (
    <Row key={each.id} row={each} evaluation={evaluation} isOpen={isOpen(each)} isCurrent={each === current || (current === null && index === 0)} extent={isPrinted ? 'much' : 'part'} actions={actions} />
  );
  const hasColumns = groups.length > 0 && groups.length <= MOST_COLUMNS;
  return (
    <section class={hasColumns ? 'rows in-columns' : 'rows'} style={{ '--groups': groups.length }} aria-label="Rows">
      {hasColumns && rows.length > 0 && <Columns {...evaluation} />}
      {rows.length === 0 && <p class="soft">No row is like that.</p>}
      <List nodes={rows} few={FEW_CELLS / Math.max(groups.length * evaluation.repeats, 1)} render={row} estimate={(each) => (isOpen(each) ? 420 : 40)} overscan={2} current={current} goal={goal} isPrinted={isPrinted} />
    </section>
  );
}

const Columns = ({ groups, scoreNames }) => (
  <div class="columns" aria-hidden="true">
    <bdi class="order">{scoreNames.join(', ')}</bdi>
    {groups.map(({ index, name, variant, model }) => (
      <bdi key={index} title={`${variant}, ${model}`}>
        {name}
      </bdi>
    ))}
  </div>
);

/** Focuses the row that was chosen with the keyboard once it is rendered. */
function useFocus(goal) {
  useEffect(() => {
    if (!goal) return undefined;
    const frame = requestAnimationFrame(() => document.querySelector(`[data-node="${goal.node.id}"]`)?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, [goal]);
}
