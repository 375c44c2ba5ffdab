// Markdown as elements. All of its text becomes text nodes, addresses too: nothing in it is a link, and nothing is loaded.
import { DEPTH, addressOf, decoded } from '../model/markdown.js';

export const Markdown = ({ tokens }) => <div class="markdown">{blocks(tokens, 0)}</div>;

const blocks = (tokens, depth) => tokens.map((token, index) => <Token key={index} token={token} depth={depth} />);

function Token({ token, depth }) {
  if (depth > DEPTH) return token.raw;
  const make = MAKERS[token.type];
  if (make) return make(token, (tokens) => blocks(tokens, depth + 1));
  return token.tokens ? blocks(token.tokens, depth + 1) : decoded(token.text ?? token.raw ?? '');
}

const cell = (Tag) => ({ tokens, align }, index, inner) => (
  <Tag key={index} class={align ? `to-${align}` : ''}>
    {inner(tokens)}
  </Tag>
);
const [headCell, bodyCell] = [cell('th'), cell('td')];

const MAKERS = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  br: () => <br />,
  checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  paragraph: ({ tokens }, inner) => <p>{inner(tokens)}</p>,
  heading: ({ tokens, depth }, inner) => (
    <p class={`heading is-${depth}`} role="heading" aria-level={Math.min(depth + 3, 6)}>
      {inner(tokens)}
    </p>
  ),
  strong: ({ tokens }, inner) => <strong>{inner(tokens)}</strong>,
  em: ({ tokens }, inner) => <em>{inner(tokens)}</em>,
  del: ({ tokens }, inner) => <del>{inner(tokens)}</del>,
  codespan: ({ text }) => <code>{text}</code>,
  code: ({ text }) => (
    <pre>
      <code>{text}</code>
    </pre>
  ),
  blockquote: ({ tokens }, inner) => <blockquote>{inner(tokens)}</blockquote>,
  list: ({ ordered, start, items }, inner) => (ordered ? <ol start={start === '' ? 1 : start}>{listItems(items, inner)}</ol> : <ul>{listItems(items, inner)}</ul>),
  table: ({ header, rows }, inner) => (
    <div class="wide">
      <table>
        <thead>
          <tr>{header.map((each, index) => headCell(each, index, inner))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{row.map((each, column) => bodyCell(each, column, inner))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  ),
  html: ({ text }) => text,
  link: (token, inner) => (
    <>
      <span class="link">{inner(token.tokens)}</span>
      <span class="address">{addressOf(token)}</span>
    </>
  ),
  image: (token) => (
    <>
      {decoded(token.text)}
      <span class="address">{addressOf(token)}</span>
    </>
  ),
};

const listItems = (items, inner) =>
  items.map(({ tokens, task }, index) => (
    <li key={index} class={task ? 'task' : ''}>
      {inner(tokens)}
    </li>
  ));
