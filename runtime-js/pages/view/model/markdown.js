// Markdown of models as tokens. They become elements in `parts/markdown.jsx`, and plain text for the search; HTML in
// Markdown is text like any other.
import { Lexer } from 'marked';

/** Longer texts are shown as they are. */
const MOST = 60_000;
/** Deeper nesting is shown as it is written. */
export const DEPTH = 24;
/** A paragraph with more of these characters is no prose, and takes the library long. */
const MOST_MARKS = 800;
const MARKS = /[*_~`[\]<>!\\]/g;

/** The library's lexer, with limits for hostile texts: it recurses on nesting, and takes quadratic time for a paragraph. */
class BoundedLexer extends Lexer {
  depth = 0;

  blockTokens(text, tokens = [], ...rest) {
    if (this.depth >= DEPTH) return asWritten(text, tokens);
    this.depth += 1;
    try {
      return super.blockTokens(text, tokens, ...rest);
    } finally {
      this.depth -= 1;
    }
  }

  inlineTokens(text, tokens = []) {
    return (text.match(MARKS)?.length ?? 0) > MOST_MARKS ? asWritten(text, tokens) : super.inlineTokens(text, tokens);
  }
}

function asWritten(text, tokens) {
  tokens.push({ type: 'text', raw: text, text });
  return tokens;
}

/** The tokens of a text; null if it is better shown as it is. */
export function tokensOf(text) {
  if (text.length > MOST) return null;
  try {
    return new BoundedLexer({ gfm: true }).lex(text);
  } catch {
    return null;
  }
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', mdash: '—', ndash: '–' };

/** A text with its entities decoded: these tokens are meant for HTML. */
export function decoded(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** What a reader sees of a Markdown text. */
export function plainText(text) {
  const tokens = tokensOf(text);
  return tokens ? plain(tokens, 0) : text;
}

const BLOCKS = new Set(['paragraph', 'heading', 'code', 'list', 'list_item', 'blockquote', 'table', 'html']);

function plain(tokens, depth) {
  return tokens.map((token) => plainOf(token, depth) + (BLOCKS.has(token.type) ? '\n' : '')).join('');
}

function plainOf(token, depth) {
  if (depth > DEPTH) return token.raw;
  const inner = (tokens) => plain(tokens, depth + 1);
  switch (token.type) {
    case 'list':
      return inner(token.items);
    case 'table':
      return [token.header, ...token.rows].map((row) => row.map((cell) => inner(cell.tokens)).join(' ')).join('\n');
    case 'link':
      return `${inner(token.tokens)}${addressOf(token)}`;
    case 'image':
      return `${decoded(token.text)}${addressOf(token)}`;
    case 'br':
      return '\n';
    case 'code':
    case 'codespan':
    case 'html':
      return token.text;
    case 'space':
    case 'hr':
    case 'def':
    case 'checkbox':
      return '';
    default:
      return token.tokens ? inner(token.tokens) : decoded(token.text ?? '');
  }
}

/** The address of a link, which is text on the page; empty if the link's text is the address. */
export function addressOf({ href, text }) {
  return href && href !== text && href !== `mailto:${text}` ? ` (${href.length > 300 ? `${href.slice(0, 300)}…` : href})` : '';
}
