// Vitest's snapshot format: serialization of values, and snapshot files.
import { importBuiltin } from 'lmthing:internal/native/modules';
import naturalCompare from 'natural-compare';

const HEADER = '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html';
const BRAND = Symbol.for('lmthing.run');

const { format, plugins } = importBuiltin('lmthing:internal/testing/display');

const mocks = {
  test: (value) => Boolean(value?._isMockFunction),
  serialize(mock, config, indentation, depth, refs, print) {
    const name = mock.getMockName() === 'vi.fn()' ? '' : ` ${mock.getMockName()}`;
    const { calls, results } = mock.mock;
    if (calls.length === 0) return `[MockFunction${name}]`;
    const inner = indentation + config.indent;
    const shown = (what, list) => `${config.spacingOuter}${inner}"${what}": ${print(list, config, inner, depth, refs)}`;
    return `[MockFunction${name}] {${shown('calls', calls)}${config.min ? ', ' : ','}${shown('results', results)}${config.min ? '' : ','}${config.spacingOuter}${indentation}}`;
  },
};

/** The reproducible part of a run: no identifiers, tokens or costs. */
const runs = {
  test: (value) => value?.[BRAND] === true,
  serialize(run, ...rest) {
    const call = ({ toolName, input, output, agent }) => ({
      ...(agent.length > 0 ? { agent: agent.join(' > ') } : {}),
      input,
      output: withoutSteps(output),
      toolName,
    });
    const { text, output, finishReason, error } = run;
    const answer = output === undefined ? { text } : { output };
    const failure = error ? { error: { code: error.code, kind: error.kind, message: error.message } } : {};
    const print = rest.at(-1);
    return `Run ${print({ ...answer, ...failure, finishReason, steps: run.steps.length, toolCalls: run.toolCalls.map(call) }, ...rest.slice(0, -1))}`;
  },
};

/** An agent's answer without its steps, which belong to the agent's own prompt. */
function withoutSteps(output) {
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return output;
  const { agentSteps: _, steps: __, ...rest } = output;
  return rest;
}

const { ReactTestComponent, ReactElement, DOMElement, DOMCollection, Immutable, AsymmetricMatcher } = plugins;
const serializers = [runs, ReactTestComponent, ReactElement, DOMElement, DOMCollection, Immutable, AsymmetricMatcher, mocks];

/** Custom serializers take precedence over earlier ones. */
export const addSerializer = (serializer) => void serializers.unshift(serializer);

const OPTIONS = {
  escapeRegex: true,
  escapeString: false,
  indent: 2,
  printBasicPrototype: false,
  printFunctionName: false,
  maxOutputLength: 2 ** 27,
};

const withPlainNewlines = (text) => text.replace(/\r\n?/g, '\n');

/** A value in snapshot form. Files cannot store lone surrogates. */
export function serialized(value) {
  const text = withPlainNewlines(format(value, { ...OPTIONS, plugins: serializers })).toWellFormed();
  return text.includes('\n') ? `\n${text}\n` : text;
}

/** The same without the surrounding line breaks. */
export const bare = (text) => (text.length > 2 && text.startsWith('\n') && text.endsWith('\n') ? text.slice(1, -1) : text).trim();

const quoted = (text) => `\`${text.replace(/`|\\|\$\{/g, '\\$&').replace(/\r/g, '\\r')}\``;

export function parse(text, path) {
  const exports = Object.create(null);
  try {
    new Function('exports', text)(exports);
  } catch (cause) {
    throw new Error(`${path} is no snapshot file: mend it or delete it`, { cause });
  }
  return new Map(Object.entries(exports));
}

export function print(snapshots) {
  const entries = [...snapshots].sort(([one], [other]) => naturalCompare(one, other));
  return `${HEADER}\n\n${entries.map(([key, value]) => `exports[${quoted(key)}] = ${quoted(withPlainNewlines(value))};`).join('\n\n')}\n`;
}

/** An inline snapshot without the indentation of the surrounding code. */
export function unindented(text) {
  const indentation = /^([^\S\n]*)\S/m.exec(text)?.[1];
  const lines = text.split('\n');
  if (!indentation || lines.length <= 2 || lines[0].trim() !== '' || lines.at(-1).trim() !== '') return text;
  const inner = lines.slice(1, -1);
  if (!inner.every((line) => line === '' || line.startsWith(indentation))) return text;
  return ['', ...inner.map((line) => line.slice(indentation.length)), ''].join('\n');
}

/** The source text of an inline snapshot. */
export function inline(text) {
  const lines = text.trim().replace(/\\/g, '\\\\').replace(/`/g, '\\`').replace(/\$\{/g, '\\${').split('\n');
  if (lines.length === 1) return `\`${lines[0]}\``;
  return `\`\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\``;
}
