// The blocks of a node. All content becomes text nodes, never HTML.
import { diffLines } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { copied, diagnosticLine } from '../model/blocks.js';
import { tokensOf } from '../model/markdown.js';
import { EXTENTS, Json, More, MOST_PIECES, Text, chunks, cut, firstLines, lineCount } from '../../shared/content.jsx';
import { Copy } from '../../shared/copy.jsx';
import { plural } from '../../shared/words.js';
import { Markdown } from './markdown.jsx';

/** Unchanged lines around a change. */
const CONTEXT = 2;

export function Block({ block, extent, onWhole }) {
  const [isSource, setSource] = useState(false);
  const Form = isSource ? Text : FORMS[block.form];
  return (
    <div class={`block is-${block.form}`}>
      {block.title && <h4>{block.title}</h4>}
      <div class="content">
        {COPIED.has(block.form) && (
          <span class="actions">
            {block.form === 'markdown' && (
              <button type="button" aria-pressed={isSource} onClick={() => setSource(!isSource)} title="Markdown as it is written">
                Source
              </button>
            )}
            <Copy text={() => copied(block)} />
          </span>
        )}
        <Form content={block.content} limits={EXTENTS[extent]} onWhole={onWhole} />
      </div>
    </div>
  );
}

const COPIED = new Set(['text', 'markdown', 'json', 'code', 'console', 'diff', 'error']);

function Formatted({ content, limits, onWhole }) {
  const shown = cut(content, limits);
  const tokens = useMemo(() => tokensOf(shown), [shown]);
  if (!tokens) return <Text content={content} limits={limits} onWhole={onWhole} />;
  return (
    <>
      <Markdown tokens={tokens} />
      {shown.length < content.length && <More lines={lineCount(content)} onWhole={onWhole} />}
    </>
  );
}

function Picture({ content: { src, words } }) {
  const [isBroken, setBroken] = useState(false);
  if (!src || isBroken) return <p>{words}</p>;
  return (
    <figure>
      <img src={src} alt={words} loading="lazy" decoding="async" onError={() => setBroken(true)} />
      <figcaption>{words}</figcaption>
    </figure>
  );
}

const Settings = ({ content }) => (
  <dl class="settings">
    {content.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt> <dd>{value.length > 200 ? `${value.slice(0, 200)}…` : value}</dd>
      </div>
    ))}
  </dl>
);

function Code({ content, limits, onWhole }) {
  const lines = useMemo(() => content.split('\n'), [content]);
  const shown = firstLines(lines, limits);
  const isCut = shown.length < lines.length;
  return (
    <>
      {shown.length > MOST_PIECES ? (
        <pre class="prose">{chunks(shown)}</pre>
      ) : (
        <pre class="lines">
          {shown.map((line, index) => (
            <div key={index} data-line={index + 1}>
              {cut(line, limits)}
              {'\n'}
            </div>
          ))}
        </pre>
      )}
      {isCut && <More lines={lines.length} onWhole={onWhole} />}
    </>
  );
}

const Console = ({ content, ...rest }) => <Text content={content.join('\n')} {...rest} />;

function Diagnostics({ content }) {
  return (
    <ul class="findings">
      {content.map(diagnosticLine).map(({ place, message, code }, index) => (
        <li key={index}>
          {place && <span class="place">{place}</span>} {message} {code && <span class="place">{/^\d+$/.test(code) ? `TS${code}` : code}</span>}
        </li>
      ))}
    </ul>
  );
}

const Sentence = ({ content }) => <p>{content}</p>;

/** The changes of a system prompt, or all of it. */
function Diff({ content: { before, after } }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => changedLines(before, after), [before, after]);
  return (
    <>
      <pre class="lines diff">
        {(isWhole ? lines.slice(0, MOST_PIECES) : around(lines)).map((line, index) =>
          line.skipped ? (
            <div key={index} class="skipped">
              {plural(line.skipped, 'line')} as before{'\n'}
            </div>
          ) : (
            <div key={index} class={line.sign === '+' ? 'added' : line.sign === '-' ? 'removed' : ''} data-line={line.sign}>
              {line.text}
              {'\n'}
            </div>
          ),
        )}
      </pre>
      <button type="button" class="more" onClick={() => setWhole(!isWhole)}>
        {isWhole ? 'Only what changed' : 'The whole system prompt'}
      </button>
    </>
  );
}

function changedLines(before, after) {
  // Ends the last line as well, so that it does not differ when lines follow it.
  const changes = diffLines(`${before}\n`, `${after}\n`);
  return changes.flatMap(({ value, added, removed }) => {
    const sign = added ? '+' : removed ? '-' : ' ';
    return value.replace(/\n$/, '').split('\n').map((text) => ({ sign, text }));
  });
}

/** Changes with context; the other lines are counted. */
function around(lines) {
  const isNear = (index) => lines.slice(Math.max(index - CONTEXT, 0), index + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  const shown = [];
  lines.forEach((line, index) => {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1)?.skipped) shown.at(-1).skipped += 1;
    else shown.push({ skipped: 1 });
  });
  return shown;
}

const FORMS = {
  text: Text,
  markdown: Formatted,
  json: Json,
  code: Code,
  diff: Diff,
  console: Console,
  diagnostics: Diagnostics,
  picture: Picture,
  settings: Settings,
  fact: Sentence,
  error: Sentence,
};
