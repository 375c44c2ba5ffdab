// A node as a row: a head, and its blocks below.
import { Component } from 'preact';
import { ownerOf } from '../model/agents.js';
import { blocksOf, blockText } from '../model/blocks.js';
import { changeWords } from '../model/cache.js';
import { nearest } from '../model/node.js';
import { stateOfEnd, stateOfNode } from '../model/states.js';
import { gist, isFailure, labelOf, titleOf } from '../model/titles.js';
import { dollars, duration, offset, plural, preview, tokens } from '../../shared/words.js';
import { stringify, text } from '../../shared/values.js';
import { Block } from './block.jsx';
import { Exchange, ExchangeButtons } from './exchange.jsx';

/** Deeper nesting is not indented further. */
const MAX_DEPTH = 8;

export const canFold = (node) => !['resume', 'notice', 'warning', 'retry'].includes(node.kind) && (node.children.length > 0 || blocksOf(node).length > 0);

export class Row extends Component {
  shouldComponentUpdate(next) {
    return ['node', 'isOpen', 'extent', 'exchange', 'isCurrent', 'clock', 'position', 'total'].some((name) => next[name] !== this.props[name]);
  }

  componentDidCatch(error) {
    this.setState({ error });
  }

  render({ node, isOpen, extent, exchange, isCurrent, clock, position, total, actions }, { error }) {
    const depth = Math.min(node.kind === 'agent' ? node.depth - 1 : node.depth, MAX_DEPTH);
    const names = ['row', node.kind, isFailure(node) && 'bad', isCurrent && 'current', isOpen && 'open'];
    return (
      <article
        class={names.filter(Boolean).join(' ')}
        id={node.anchor}
        data-node={node.id}
        style={{ '--depth': depth }}
        tabIndex={isCurrent ? 0 : -1}
        aria-posinset={position + 1}
        aria-setsize={total}
        aria-label={`${labelOf(node)} ${titleOf(node)}`.trim()}
        onMouseDown={(event) => event.detail === 1 && actions.select(node)}
      >
        {Array.from({ length: depth }, (_, level) => (
          <span class="guide" key={level} style={{ '--level': level }} />
        ))}
        {error ? <p class="error">This cannot be shown: {String(error.message)}</p> : this.content({ node, isOpen, extent, exchange, clock, actions })}
      </article>
    );
  }

  content({ node, isOpen, extent, exchange, clock, actions }) {
    // A notice is a sentence in its head, without blocks.
    const blocks = isOpen && HEADS[node.kind] !== Notice ? blocksOf(node) : [];
    const Head = HEADS[node.kind] ?? Labelled;
    const onWhole = () => actions.whole(node);
    return (
      <>
        <span class="at">{offset(clock.at(node.start))}</span>
        <div class="main">
          <Head node={node} isOpen={isOpen} exchange={exchange} onFold={() => actions.fold(node)} onExchange={(which) => actions.exchange(node, which)} />
          {(blocks.length > 0 || exchange) && (
            <div class="blocks">
              {blocks.map((block, index) => (
                <Block key={index} block={block} extent={extent} onWhole={onWhole} />
              ))}
              {exchange && <Exchange step={node} which={exchange} extent={extent} onWhole={onWhole} />}
            </div>
          )}
        </div>
      </>
    );
  }
}

function Fold({ node, isOpen, onFold, children }) {
  if (!canFold(node)) return <span class="fold">{children}</span>;
  return (
    <button type="button" class="fold" aria-expanded={isOpen} onClick={onFold}>
      <span class="mark" aria-hidden="true" />
      {children}
    </button>
  );
}

const Facts = ({ children }) => <span class="facts">{children.flat().filter(Boolean).map((fact, index) => <span key={index}>{fact}</span>)}</span>;

const took = (node) => duration(node.took ?? node.end - node.start);

/** A link to the row itself, to be kept or passed on. */
const Anchor = ({ node }) => (
  <a class="anchor" href={`#${node.anchor}`} aria-label={`Link to ${titleOf(node)}`}>
    #
  </a>
);

function State({ node }) {
  const state = stateOfNode(node);
  return state && <span class={`reason is-${state.tone}`}>{state.word}</span>;
}

function StepHead({ node, isOpen, onFold, exchange, onExchange }) {
  const { model, finishReason, usage, cost, cache } = node;
  const more = usage && [
    usage.cachedInputTokens ? `${usage.cachedInputTokens.toLocaleString('en')} cached` : '',
    usage.reasoningTokens ? `${usage.reasoningTokens.toLocaleString('en')} reasoning` : '',
    cache?.brokenBy ? changeWords(cache.brokenBy) : '',
  ];
  return (
    <header>
      <h3>
        <Fold node={node} isOpen={isOpen} onFold={onFold}>
          {titleOf(node)}
        </Fold>
        <Anchor node={node} />
      </h3>
      <span class="model">{model}</span>
      {finishReason && <span class={`reason ${finishReason === 'error' ? 'is-bad' : ''}`}>{finishReason}</span>}
      <State node={node} />
      {!isOpen && <span class="preview">{gist(node)}</span>}
      <ExchangeButtons step={node} shown={exchange} onChoose={onExchange} />
      <Facts>{[tokens(usage), more, cost ? dollars(cost) : '', took(node)]}</Facts>
    </header>
  );
}

function AgentHead({ node, isOpen, onFold }) {
  const steps = node.children.filter(({ kind }) => kind === 'step').length;
  return (
    <header>
      <h3>
        <Fold node={node} isOpen={isOpen} onFold={onFold}>
          <span class="kind">Agent</span> {node.label}
        </Fold>
        <Anchor node={node} />
      </h3>
      <span class="owner">{ownerWords(node)}</span>
      <State node={node} />
      <Facts>{[plural(steps, 'step'), took(node)]}</Facts>
    </header>
  );
}

/** Whose agent it is: with several of one name that is not to be seen from its place alone. */
function ownerWords(agent) {
  const [owner, step, call] = [ownerOf(agent), nearest(agent, 'step'), nearest(agent, 'tool')];
  const place = step ? `, step ${step.number}` : '';
  return `of ${owner.kind === 'agent' ? owner.label : 'the prompt'}${place}${call && ownerOf(call) === owner ? `, call ${call.callId}` : ''}`;
}

function ToolHead({ node, isOpen, onFold }) {
  return (
    <header>
      <Fold node={node} isOpen={isOpen} onFold={onFold}>
        <span class="kind">Tool</span> <b>{node.name}</b>
      </Fold>
      {!isOpen && <span class="preview">{preview(node.code ?? stringify(node.input) ?? '')}</span>}
      <State node={node} />
      <Facts>{[node.hasOutput && took(node)]}</Facts>
    </header>
  );
}

function Labelled({ node, isOpen, onFold }) {
  const first = blocksOf(node)[0];
  const words = node.kind === 'tools' ? titleOf(node) : first && blockText(first);
  const isSame = node.kind === 'system' && !node.isChanged;
  return (
    <header>
      <Fold node={node} isOpen={isOpen} onFold={onFold}>
        <span class="kind">{labelOf(node)}</span>
      </Fold>
      {!isOpen && <span class="preview">{isSame ? 'as before' : preview(words ?? '')}</span>}
      {isOpen && node.kind === 'system' && node.before !== null && <span class="preview">{isSame ? 'as before' : 'what changed since the step before'}</span>}
    </header>
  );
}

function Notice({ node }) {
  return (
    <header>
      <span class="fold">
        <span class="kind">{labelOf(node)}</span>
      </span>
      <span class="notice">{node.text}</span>
    </header>
  );
}

const Resume = ({ node }) => (
  <header>
    <span class="kind">{titleOf(node)}</span>
  </header>
);

function FinishHead({ node, isOpen, onFold }) {
  const { result } = node;
  return (
    <header>
      <h3>
        <Fold node={node} isOpen={isOpen} onFold={onFold}>
          {titleOf(node)}
        </Fold>
      </h3>
      {result.error?.kind && <span class={`reason is-${stateOfEnd(result).tone}`}>{text(result.error.kind)}</span>}
      {result.error?.code !== undefined && <span class="model">exit code {String(result.error.code)}</span>}
    </header>
  );
}

const HEADS = { step: StepHead, agent: AgentHead, tool: ToolHead, notice: Notice, warning: Notice, retry: Notice, resume: Resume, finish: FinishHead };
