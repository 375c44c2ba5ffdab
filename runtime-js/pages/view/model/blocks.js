// The content of a node as blocks, each a title and a content of one form. The page and the search both use these, so
// that hits are visible.
//
// Forms: `text`, `markdown` (a text), `json` (any value), `code`, `diff` ({before, after}), `console` (lines), `diagnostics`,
// `picture` ({src, words}), `settings` (pairs), `fact` (a sentence), `error` (a sentence).
import { jsonLines, lineText, parsed } from '../../shared/json.js';
import { plainText } from './markdown.js';
import { hasMedia, pictureOf } from './pictures.js';
import { stringify, text } from '../../shared/values.js';

export function blocksOf(node) {
  node.blocks ??= (MAKERS[node.kind] ?? (() => []))(node).filter(Boolean);
  return node.blocks;
}

const block = (form, content, title = '') => ({ form, content, title });
const value = (content, title) => {
  const read = parsed(content);
  return typeof read === 'string' ? block('text', read, title) : block('json', read, title);
};

const MAKERS = {
  text: (node) => [block('markdown', node.text)],
  reasoning: (node) => [block('markdown', node.text)],
  notice: (node) => [block('fact', node.text)],
  warning: (node) => [block('fact', node.text)],
  retry: (node) => [block('fact', node.text)],
  sources: (node) => [block('text', node.sources.map(sourceLines).join('\n'))],
  system(node) {
    if (node.before === null || !node.isChanged) return [block('text', node.text)];
    return [block('diff', { before: node.before, after: node.text })];
  },
  states: (node) => [block('json', Object.fromEntries(Object.entries(node.states).map(([name, state]) => [name, stateValue(state)])))],
  message: (node) => contentBlocks(node.content, node.role === 'assistant' ? 'markdown' : 'text'),
  tools: (node) => node.tools.flatMap(toolBlocks),
  tool(node) {
    const rest = restOfInput(node);
    return [
      node.isOfProvider && block('fact', 'The provider ran this call.'),
      node.code !== undefined && block('code', node.code, 'Code'),
      rest.isThere && value(rest.input, 'Input'),
      ...checkBlocks(node),
      ...outputBlocks(node),
      node.isCut && block('error', 'The call has no result: it was cut off.'),
    ];
  },
  code: (node) => [node.code !== undefined && block('code', node.code, 'Code'), ...checkBlocks(node)],
  agent: (node) => [node.error !== null && node.error !== undefined && block('error', node.error)],
  step: (node) => [settingsBlock(node.settings), node.isCut && block('error', 'The step was cut off.')],
  finish: (node) => finishBlocks(node.result),
};

/** The name of a source, its address, and the text that cites it. */
function sourceLines({ name, url, quotes }) {
  const head = url && url !== name ? `${name} (${url})` : name;
  return [head, ...quotes.map((quote) => `  cited by “${quote}”`)].join('\n');
}

/** The input of a call without its code, which is shown separately. */
function restOfInput({ code, input, hasInput }) {
  if (code === undefined || typeof input !== 'object' || input === null) return { isThere: hasInput, input };
  const { code: _, ...rest } = input;
  return { isThere: Object.keys(rest).length > 0, input: rest };
}

function checkBlocks({ check, console }) {
  return [
    check && (check.ok ? block('fact', 'The code was checked and run.', 'Check') : block('diagnostics', check.diagnostics, 'Check')),
    check?.ok && check.diagnostics.length > 0 && block('diagnostics', check.diagnostics, 'Found'),
    console.length > 0 && block('console', console, 'Console'),
  ];
}

function toolBlocks({ name, description, ...rest }) {
  const schema = rest.inputSchema ?? rest.input_schema ?? rest.parameters ?? rest.schema;
  return [block('text', text(description) || '(no description)', name), schema !== undefined && block('json', schema, '')];
}

/** The value of a state, or why there is none. */
function stateValue(state) {
  if (state === null) return '(removed)';
  return state?.lost === undefined ? state?.value : `(not stored: ${text(state.lost)})`;
}

function outputBlocks({ hasOutput, output, isError }) {
  if (!hasOutput) return [];
  if (!hasMedia(output)) return [value(output, isError ? 'Error' : 'Output')];
  return contentBlocks(output, 'text').map((each, index) => (index === 0 ? { ...each, title: 'Output' } : each));
}

/** Model settings as pairs of name and value. */
function settingsBlock(settings) {
  const pairs = Object.entries(settings ?? {}).map(([name, setting]) => [name, text(setting)]);
  return pairs.length > 0 && block('settings', pairs);
}

/** The parts of a message; `form` is that of its texts. */
function contentBlocks(content, form) {
  if (typeof content === 'string') return [block(form, content)];
  if (!Array.isArray(content)) return [value(content)];
  return content.map((part) => {
    if (typeof part !== 'object' || part === null) return value(part);
    switch (part.type) {
      case 'text':
        return block(form, text(part.text));
      case 'reasoning':
        return block('markdown', text(part.text), 'Reasoning');
      case 'tool-call':
        return value(part.input, `Calls ${text(part.toolName)}`);
      case 'tool-result':
        return value(part.output?.value ?? part.output, `Result of ${text(part.toolName)}`);
      case 'image':
      case 'file':
      case 'media':
        return block('picture', pictureOf(part));
      default:
        return value(part, text(part.type));
    }
  });
}

function finishBlocks(result) {
  const { error, output } = result;
  const place = error?.file && `${text(error.file)}${error.line ? `:${error.line}${error.column ? `:${error.column}` : ''}` : ''}`;
  return [
    error && block('error', text(error.message ?? error)),
    error?.hint && block('fact', text(error.hint), 'Hint'),
    place && block('fact', place, 'Place'),
    output !== undefined && value(output, 'Output'),
  ];
}

/** A diagnostic on one line. */
export function diagnosticLine(found) {
  const { line, column, message, code } = typeof found === 'object' && found !== null ? found : { message: found };
  return { place: line ? `${line}:${column ?? 1}` : '', message: text(message), code: code === undefined ? '' : text(code) };
}

/** The text of a block, for the search. */
export function blockText({ form, content }) {
  switch (form) {
    case 'json':
      return jsonLines(content).map(lineText).join('\n');
    case 'diff':
      return newLines(content);
    case 'markdown':
      return plainText(content);
    case 'picture':
      return content.words;
    case 'settings':
      return content.map((pair) => pair.join(' ')).join('\n');
    case 'console':
      return content.join('\n');
    case 'diagnostics':
      return content.map(diagnosticLine).map(({ place, message, code }) => `${place} ${message} ${code}`).join('\n');
    default:
      return text(content);
  }
}

/** Lines that the previous text did not have. Moved lines do not count; finding them would be slow. */
function newLines({ before, after }) {
  const old = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !old.has(line)).join('\n');
}

/** The clipboard text of a block: JSON in standard form, and complete system prompts. */
export function copied(shown) {
  if (shown.form === 'json') return stringify(shown.content, 2);
  if (shown.form === 'markdown') return shown.content;
  return shown.form === 'diff' ? shown.content.after : blockText(shown);
}
