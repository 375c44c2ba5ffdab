// Blocks: what a node shows below its head. All content becomes text nodes; nothing of it is ever read as HTML.
import { diffLines } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { copied, diagnosticLine } from '../model/blocks.js';
import { jsonLines } from '../model/json.js';
import { plural } from '../model/words.js';

/** Longer texts are shown in part until they are asked for. */
const LINES = 24;
const LETTERS = 4_000;
/** Values with more lines lose their colours: that many pieces would stall the page. */
const COLOURED_LINES = 4_000;
/** Unchanged lines that are shown around a change. */
const CONTEXT = 2;

export function Block({ block, isFull, onFull }) {
  const Form = FORMS[block.form];
  return (
    <div class={`block is-${block.form}`}>
      {block.title && <h4>{block.title}</h4>}
      <div class="content">
        <Form content={block.content} isFull={isFull} onFull={onFull} />
        {COPIED.has(block.form) && <Copy block={block} />}
      </div>
    </div>
  );
}

const COPIED = new Set(['text', 'json', 'code', 'console', 'diff']);

function Copy({ block }) {
  const [word, setWord] = useState('Copy');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(copied(block));
      setWord('Copied');
    } catch {
      setWord('Not allowed');
    }
    setTimeout(() => setWord('Copy'), 1500);
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {word}
    </button>
  );
}

function More({ lines, onFull }) {
  return (
    <button type="button" class="more" onClick={onFull}>
      {lines > 1 ? `Show all ${plural(lines, 'line')}` : 'Show all'}
    </button>
  );
}

/** The beginning of a text that is too long. */
function cut(text) {
  let end = 0;
  for (let line = 0; line < LINES && end >= 0; line++) end = text.indexOf('\n', end + (line > 0 ? 1 : 0));
  const limit = Math.min(end < 0 ? text.length : end, LETTERS);
  // A little more is no reason to ask.
  return text.length - limit < 200 ? text : text.slice(0, limit);
}

const lineCount = (text) => text.split('\n').length;

function Text({ content, isFull, onFull }) {
  const shown = isFull ? content : cut(content);
  return (
    <>
      <pre class="prose">{shown}</pre>
      {shown.length < content.length && <More lines={lineCount(content)} onFull={onFull} />}
    </>
  );
}

function Json({ content, isFull, onFull }) {
  const lines = useMemo(() => jsonLines(content), [content]);
  const isCut = !isFull && (lines.length > LINES + 4 || lines.some(({ pieces }) => pieces.some(([, text]) => text.length > LETTERS)));
  const shown = isCut ? lines.slice(0, LINES) : lines;
  const isPlain = shown.length > COLOURED_LINES;
  return (
    <>
      <pre class="json">
        {shown.map(({ indent, pieces }, index) => (
          <div key={index} style={{ '--indent': indent }}>
            {isPlain ? pieces.map(([, text]) => text).join('') : pieces.map((piece) => jsonPiece(piece, isCut))}
            {'\n'}
          </div>
        ))}
      </pre>
      {isCut && <More lines={lines.length} onFull={onFull} />}
    </>
  );
}

function jsonPiece([kind, text], isCut) {
  const shown = isCut && text.length > LETTERS ? `${text.slice(0, LETTERS)}…` : text;
  return kind === 'punct' ? shown : <span class={`j-${kind}`}>{shown}</span>;
}

function Code({ content, isFull, onFull }) {
  const lines = content.split('\n');
  const isCut = !isFull && lines.length > LINES + 8;
  return (
    <>
      <pre class="lines">
        {(isCut ? lines.slice(0, LINES) : lines).map((line, index) => (
          <div key={index} data-line={index + 1}>
            {line}
            {'\n'}
          </div>
        ))}
      </pre>
      {isCut && <More lines={lines.length} onFull={onFull} />}
    </>
  );
}

function Console({ content, isFull, onFull }) {
  return <Text content={content.join('\n')} isFull={isFull} onFull={onFull} />;
}

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

/** What changed in a system prompt, or all of it. */
function Diff({ content: { before, after } }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => changedLines(before, after), [before, after]);
  return (
    <>
      <pre class="lines diff">
        {(isWhole ? lines : around(lines)).map((line, index) =>
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
  // The last line ends like all others, so that it is not a change when lines follow it.
  const changes = diffLines(`${before}\n`, `${after}\n`);
  return changes.flatMap(({ value, added, removed }) => {
    const sign = added ? '+' : removed ? '-' : ' ';
    return value.replace(/\n$/, '').split('\n').map((text) => ({ sign, text }));
  });
}

/** Changes with the lines around them; the others are counted. */
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

const FORMS = { text: Text, json: Json, code: Code, diff: Diff, console: Console, diagnostics: Diagnostics, fact: Sentence, error: Sentence };
