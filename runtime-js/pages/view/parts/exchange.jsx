// The request or the answer of a step as a whole.
import { useMemo } from 'preact/hooks';
import { answerOf, requestOf } from '../model/exchange.js';
import { Block } from './block.jsx';

const MAKERS = { request: requestOf, answer: answerOf };
const TITLES = { request: 'Request', answer: 'Answer' };

export function Exchange({ step, which, extent, onWhole }) {
  const block = useMemo(() => ({ form: 'json', title: TITLES[which], content: MAKERS[which](step) }), [step, which]);
  return <Block block={block} extent={extent} onWhole={onWhole} />;
}

/** The parts of a step's exchange that the events have. */
export const exchangesOf = (step) => [step.request && 'request', (step.finish || step.children.some(({ kind }) => ['text', 'reasoning', 'tool'].includes(kind))) && 'answer'].filter(Boolean);

export function ExchangeButtons({ step, shown, onChoose }) {
  return (
    <span class="exchange">
      {exchangesOf(step).map((which) => (
        <button key={which} type="button" aria-pressed={shown === which} onClick={() => onChoose(shown === which ? undefined : which)}>
          {TITLES[which]}
        </button>
      ))}
    </span>
  );
}
