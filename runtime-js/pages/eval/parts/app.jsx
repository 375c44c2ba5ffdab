// The root component: which eval is shown, the search, the keys.
import { useRef, useState } from 'preact/hooks';
import { Help } from '../../shared/help.jsx';
import { useKeys } from '../../shared/keys.js';
import { usePrinting } from '../../shared/printing.js';
import { switchTheme } from '../../shared/theme.js';
import { plural } from '../../shared/words.js';
import { IN_LIST, KEYS, SHORTCUTS } from '../keys.js';
import { Eval } from './eval.jsx';
import { Head } from './head.jsx';

export function App({ report }) {
  const { evals, isOk } = report;
  const [at, setAt] = useState(() => placeOfAddress(evals));
  const [isHelping, setHelping] = useState(false);
  const [query, setQuery] = useState('');
  const isPrinted = usePrinting();
  // What the keys do in the eval that is shown; it fills this in.
  const actions = useRef({});
  Object.assign(actions.current, { theme: switchTheme, help: () => setHelping(!isHelping) });
  useKeys(actions, KEYS, IN_LIST);
  const choose = (index) => {
    setAt(index);
    history.replaceState(null, '', `#eval-${index + 1}`);
  };
  const title = evals.length === 1 ? evals[0].file.split(/[\\/]/).at(-1) : plural(evals.length, 'eval');
  return (
    <>
      <Head title={title} isOk={isOk} query={query} onSearch={setQuery} actions={actions} />
      <main>
        {evals.length > 1 && <Evals evals={evals} at={at} onChoose={choose} />}
        {evals.length === 0 && <p class="note">There is no eval in this file.</p>}
        {evals
          .filter(({ index }) => isPrinted || index === at)
          .map((each) => (
            <Eval key={each.index} evaluation={each} report={report} query={query} actions={actions} isPrinted={isPrinted} />
          ))}
      </main>
      <Help isOpen={isHelping} keys={SHORTCUTS} onClose={() => setHelping(false)} />
    </>
  );
}

/** `#eval-2` is the second one. */
function placeOfAddress(evals) {
  const number = Number(/^#eval-(\d+)$/.exec(location.hash)?.[1]);
  return evals[number - 1] ? number - 1 : 0;
}

const Evals = ({ evals, at, onChoose }) => (
  <nav class="evals" aria-label="Evals">
    {evals.map(({ index, file, errors, scoreErrors }) => (
      <button key={index} type="button" aria-pressed={index === at} onClick={() => onChoose(index)}>
        <bdi>{file}</bdi> {errors + scoreErrors > 0 && <span class="bad">! {plural(errors + scoreErrors, 'error')}</span>}
      </button>
    ))}
  </nav>
);
