// Texts and JSON, of which long ones are cut. All content becomes text nodes, never HTML.
import { useMemo } from 'preact/hooks';
import { jsonLines, lineText } from './json.js';
import { plural } from './words.js';

/** How much of a text is shown: initially, with all items open, and on request. */
export const EXTENTS = {
  part: { lines: 24, letters: 4_000 },
  much: { lines: 1_000, letters: 100_000 },
  whole: { lines: Infinity, letters: Infinity },
};
/** Longer values lose colors and line numbers: so many elements would stall the page. */
export const MOST_PIECES = 4_000;
/** Characters from which on a text is rendered in chunks of this many lines. */
const CHUNKED = 100_000;
const CHUNK = 500;

export function More({ lines, onWhole }) {
  return (
    <button type="button" class="more" onClick={onWhole}>
      {lines > 1 ? `Show all ${plural(lines, 'line')}` : 'Show all'}
    </button>
  );
}

/** The beginning of a long text. */
export function cut(text, { lines, letters }) {
  if (text.length <= lines) return text;
  let end = 0;
  for (let line = 0; line < lines && end >= 0; line++) end = text.indexOf('\n', end + (line > 0 ? 1 : 0));
  const limit = Math.min(end < 0 ? text.length : end, letters);
  // A slightly longer text is shown whole.
  return text.length - limit < 200 ? text : text.slice(0, limit);
}

/** A long text in chunks that the browser lays out when they become visible. */
export function chunks(lines) {
  const count = Math.ceil(lines.length / CHUNK);
  return Array.from({ length: count }, (_, index) => {
    const some = lines.slice(index * CHUNK, (index + 1) * CHUNK);
    return (
      <div key={index} class="chunk" style={{ '--lines': some.length }}>
        {`${some.join('\n')}\n`}
      </div>
    );
  });
}

export const lineCount = (text) => text.split('\n').length;

export function Text({ content, limits, onWhole }) {
  const shown = cut(content, limits);
  return (
    <>
      <pre class="prose">{shown.length > CHUNKED ? chunks(shown.split('\n')) : shown}</pre>
      {shown.length < content.length && <More lines={lineCount(content)} onWhole={onWhole} />}
    </>
  );
}

/** The first lines, or all if there are few more. */
export const firstLines = (lines, { lines: most }) => (lines.length > most + 6 ? lines.slice(0, most) : lines);

export function Json({ content, limits, onWhole }) {
  const lines = useMemo(() => jsonLines(content), [content]);
  const shown = firstLines(lines, limits);
  const isCut = shown.length < lines.length || shown.some(({ pieces }) => pieces.some(([, text]) => text.length > limits.letters));
  return (
    <>
      <pre class="json">
        {shown.length > MOST_PIECES
          ? chunks(shown.map(lineText))
          : shown.map(({ indent, pieces }, index) => (
              <div key={index} style={{ '--indent': indent }}>
                {pieces.map((piece) => jsonPiece(piece, limits))}
                {'\n'}
              </div>
            ))}
      </pre>
      {isCut && <More lines={lines.length} onWhole={onWhole} />}
    </>
  );
}

function jsonPiece([kind, text], { letters }) {
  const shown = text.length > letters ? `${text.slice(0, letters)}…` : text;
  return kind === 'punct' ? shown : <span class={`j-${kind}`}>{shown}</span>;
}
