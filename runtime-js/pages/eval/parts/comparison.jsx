// Two answers to a row, word by word.
import { useMemo, useState } from 'preact/hooks';
import { compareWords } from '../model/compare.js';

/** `first` is the answer of the baseline if there is one, which is compared with the one after it. */
export function Comparison({ choices, first }) {
  const [pair, setPair] = useState(null);
  if (choices.length < 2) return null;
  const start = Math.max(first, 0);
  const [before, after] = pair ?? [start, Math.min(start + 1, choices.length - 1)];
  return (
    <div class="comparison">
      <button type="button" aria-expanded={pair !== null} onClick={() => setPair(pair ? null : [before, after])}>
        Compare words
      </button>
      {pair && (
        <>
          <Choice label="Before" choices={choices} at={before} onChoose={(at) => setPair([at, after])} />
          <Choice label="After" choices={choices} at={after} onChoose={(at) => setPair([before, at])} />
          <Words before={choices[before].text} after={choices[after].text} />
        </>
      )}
    </div>
  );
}

const Choice = ({ label, choices, at, onChoose }) => (
  <select aria-label={label} value={at} onChange={({ currentTarget: { value } }) => onChoose(Number(value))}>
    {choices.map(({ name }, index) => (
      <option key={index} value={index}>
        {name}
      </option>
    ))}
  </select>
);

function Words({ before, after }) {
  const pieces = useMemo(() => compareWords(before, after), [before, after]);
  if (before === after) return <p class="soft">Both are the same.</p>;
  if (!pieces) return <p class="soft">These texts are too long or too different to be compared by words.</p>;
  return (
    <pre class="prose words">
      {pieces.map(({ value, added, removed }, index) => {
        if (added) return <ins key={index}>{value}</ins>;
        return removed ? <del key={index}>{value}</del> : value;
      })}
    </pre>
  );
}
