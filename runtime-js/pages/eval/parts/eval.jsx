// One eval: its summary, the matrix, what has changed, and the rows with their filters.
import { useMemo, useState } from 'preact/hooks';
import { Safe } from '../../shared/safe.jsx';
import { FILTERS, ORDERS, visibleRows } from '../model/rows.js';
import { Changes } from './changes.jsx';
import { Matrix } from './matrix.jsx';
import { Rows } from './rows.jsx';
import { Summary } from './summary.jsx';
import { Tools } from './tools.jsx';

const NONE = new Map();

export function Eval({ evaluation, report, query, actions, isPrinted }) {
  const [choice, setChoice] = useState({ filter: 'all', failed: null, order: 'disagreeing' });
  const [folding, setFolding] = useState({ all: false, open: NONE });
  const [current, setCurrent] = useState(null);
  // Where to scroll; a new object each time, so that the same row can be set twice.
  const [goal, setGoal] = useState(null);
  const rows = useMemo(() => visibleRows(evaluation.rows, { ...choice, query }), [evaluation, choice, query]);
  const isOpen = (row) => isPrinted || (folding.open.get(row.id) ?? folding.all);
  const choose = (part) => setChoice((old) => ({ ...old, ...part }));
  const fold = (row) => {
    setCurrent(row);
    setFolding((old) => ({ ...old, open: new Map(old.open).set(row.id, !(old.open.get(row.id) ?? old.all)) }));
  };
  const go = (row, align) => {
    if (!row) return;
    setCurrent(row);
    setGoal({ node: row, align });
  };
  const filters = Object.keys(FILTERS).filter((name) => evaluation.baseline || !FILTERS[name].needsBaseline);
  const orders = Object.keys(ORDERS).filter((name) => evaluation.baseline || !ORDERS[name].needsBaseline);
  Object.assign(actions.current, {
    move: (by) => go(rows[Math.min(Math.max(rows.indexOf(current) + by, 0), rows.length - 1)]),
    edge: (isEnd) => go(rows.at(isEnd ? -1 : 0), 'start'),
    toggle: () => current && fold(current),
    openAll: () => setFolding({ all: true, open: NONE }),
    closeAll: () => setFolding({ all: false, open: NONE }),
    nextFilter: () => choose({ filter: filters[(filters.indexOf(choice.filter) + 1) % filters.length] }),
  });
  const onFilter = (filter) => {
    choose({ filter });
    document.getElementById(`rows-${evaluation.index}`)?.scrollIntoView();
  };
  return (
    <div class="eval">
      <div class="above">
        <Safe name="summary">
          <Summary evaluation={evaluation} report={report} onFilter={onFilter} />
        </Safe>
        <Safe name="matrix">
          <Matrix evaluation={evaluation} />
        </Safe>
        {evaluation.baseline && (
          <Safe name="changes">
            <Changes evaluation={evaluation} onFilter={onFilter} />
          </Safe>
        )}
        <Tools evaluation={evaluation} {...{ filters, orders, choice, choose }} shown={rows.length} />
      </div>
      <Rows evaluation={evaluation} {...{ rows, current, goal, isOpen, isPrinted }} onFold={fold} onSelect={setCurrent} />
    </div>
  );
}
