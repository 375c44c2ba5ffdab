// Filters and order of the rows.
import { useMemo } from 'preact/hooks';
import { count } from '../../shared/words.js';
import { FILTERS, ORDERS } from '../model/rows.js';

export function Tools({ evaluation, filters, orders, choice, choose, shown }) {
  const { rows, scoreNames } = evaluation;
  const counts = useMemo(() => filters.map((name) => rows.filter(FILTERS[name].holds).length), [evaluation]);
  return (
    <div class="tools" id={`rows-${evaluation.index}`}>
      <h2>Rows</h2>
      <div class="filters" role="group" aria-label="Filter">
        {filters.map((name, index) => (
          <button key={name} type="button" aria-pressed={choice.filter === name} onClick={() => choose({ filter: name })}>
            {FILTERS[name].words} <small>{count(counts[index])}</small>
          </button>
        ))}
      </div>
      <label>
        <span>Failed</span>{' '}
        <select value={choice.failed === null ? '' : scoreNames.indexOf(choice.failed)} onChange={({ currentTarget: { value } }) => choose({ failed: value === '' ? null : scoreNames[value] })}>
          <option value="">any or none</option>
          {scoreNames.map((name, index) => (
            <option key={index} value={index}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Order</span>{' '}
        <select value={choice.order} onChange={({ currentTarget: { value } }) => choose({ order: value })}>
          {orders.map((name) => (
            <option key={name} value={name}>
              {ORDERS[name].words}
            </option>
          ))}
        </select>
      </label>
      <output aria-live="polite">{shown === rows.length ? '' : `${count(shown)} of ${count(rows.length)}`}</output>
    </div>
  );
}
