// chai in parts: what Vitest's matchers are made of; the rest (its own assertions, how it compares and shows values) and its interface
// `assert`, which are loaded when they are asked for. Its interface `should` is left out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Sections of chai's one file, by where they come from. */
const REST = /^(node_modules\/(loupe|deep-eql)\/|lib\/chai\/core\/assertions\.js)/;
const ASSERT = /^lib\/chai\/interface\/assert\.js/;
const LEFT_OUT = /^lib\/chai(\/utils\/events|\/interface\/should)?\.js/;
const NEEDED = [
  'node_modules/loupe/lib/index.js',
  'node_modules/deep-eql/index.js',
  'lib/chai/core/assertions.js',
  'lib/chai/assertion.js',
  'lib/chai/interface/assert.js',
  'lib/chai/utils/events.js',
];

/** What the first part says instead of what it left out; whoever uses it says how the rest is loaded. */
const STAND_INS = `
export const rest = { load: undefined };
const events = { dispatchEvent() {} };
class PluginEvent {}
const inspect = (...args) => rest.load().inspect(...args);
const deep_eql_default = (...args) => rest.load().deep_eql_default(...args);
`;

const declared = (code) => [...code.matchAll(/^(?:function|var|let|const|class) (\w+)/gm)].map(([, name]) => name);

function cut(path) {
  const contents = readFileSync(path, 'utf8').replace(/^export \{[^}]*\};\s*$/m, '');
  const [helpers, ...sections] = contents.split(/^\/\/ (?=(?:lib|node_modules)\/)/m);
  for (const name of NEEDED) {
    if (!sections.some((section) => section.startsWith(name))) throw new Error(`${path} has changed: there is no ${name} in it`);
  }
  const text = (isIn) =>
    sections
      .filter(isIn)
      .map((section) => `// ${section}`)
      .join('');
  const isFirst = (section) => ![REST, ASSERT, LEFT_OUT].some((pattern) => pattern.test(section));
  // The names of functions are for stack traces, where chai is not seen.
  const first = `${helpers.replace(/^var __name = .*$/m, 'var __name = (target) => target;')}${text(isFirst)}`;
  const [second, assert] = [REST, ASSERT].map((pattern) => text((section) => pattern.test(section)));
  /** What a later part uses of the first. */
  const used = (part) =>
    declared(first).filter((name) => !declared(part).includes(name) && new RegExp(`\\b${name}\\b`).test(part));
  const later = (part, exported) => `
    import { parts } from 'lmthing:internal/testing/expect';
    const { ${used(part).join(', ')} } = parts;
    ${part}
    export { ${exported} };`;
  const shared = [...new Set([...used(second), ...used(assert)])];
  return {
    first: `${STAND_INS}${first}
      export const parts = { ${shared.join(', ')} };
      export { Assertion, AssertionError, config, expect, utils_exports as util };`,
    rest: later(second, 'deep_eql_default, inspect'),
    assert: later(assert, 'assert'),
  };
}

/** `chai`, `chai/rest` and `chai/assert`. */
export const chaiParts = {
  name: 'chai',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]chai[\\/]index\.js$/, namespace: 'file' }, ({ path }) => ({ contents: cut(path).first }));
    const path = fileURLToPath(new URL('node_modules/chai/index.js', import.meta.url));
    onResolve({ filter: /^chai\/(rest|assert)$/ }, ({ path: name }) => ({ path, namespace: name }));
    for (const part of ['rest', 'assert']) {
      onLoad({ filter: /./, namespace: `chai/${part}` }, () => ({ contents: cut(path)[part] }));
    }
  },
};
