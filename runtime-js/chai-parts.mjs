// Splits chai: the part that Vitest's matchers need, and the rest (its own assertions, comparison, formatting) and its
// `assert` interface, which are loaded on demand. The `should` interface is left out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Sections of chai's single file, by source. */
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

/** Replaces the removed code in the first part; the importer sets how the rest is loaded. */
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
  // Function names matter only in stack traces, where chai is hidden.
  const first = `${helpers.replace(/^var __name = .*$/m, 'var __name = (target) => target;')}${text(isFirst)}`;
  const [second, assert] = [REST, ASSERT].map((pattern) => text((section) => pattern.test(section)));
  /** The names of the first part that a later part uses. */
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
