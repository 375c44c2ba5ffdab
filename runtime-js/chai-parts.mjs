// chai in two parts: what Vitest's matchers are made of, and the rest (its own assertions, how it compares and shows values), which
// is loaded when it is asked for. Its interfaces `assert` and `should` are left out; `chai/whole` is for who wants those.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Sections of chai's one file, by where they come from. */
const REST = /^(node_modules\/(loupe|deep-eql)\/|lib\/chai\/core\/assertions\.js)/;
const LEFT_OUT = /^lib\/chai(\/utils\/events|\/interface\/(should|assert))?\.js/;
const NEEDED = ['node_modules/loupe/lib/index.js', 'node_modules/deep-eql/index.js', 'lib/chai/core/assertions.js', 'lib/chai/assertion.js', 'lib/chai/utils/events.js'];

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
  const text = (isIn) => sections.filter(isIn).map((section) => `// ${section}`).join('');
  // The names of functions are for stack traces, where chai is not seen.
  const first = `${helpers.replace(/^var __name = .*$/m, 'var __name = (target) => target;')}${text((section) => !REST.test(section) && !LEFT_OUT.test(section))}`;
  const second = text((section) => REST.test(section));
  const own = declared(second);
  const shared = declared(first).filter((name) => !own.includes(name) && new RegExp(`\\b${name}\\b`).test(second));
  return { first, second, shared };
}

/** `chai`, `chai/rest` and `chai/whole`. */
export const chaiParts = {
  name: 'chai',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]chai[\\/]index\.js$/, namespace: 'file' }, ({ path }) => {
      const { first, shared } = cut(path);
      const contents = `${STAND_INS}${first}
        export const parts = { ${shared.join(', ')} };
        export { Assertion, AssertionError, config, expect, utils_exports as util };`;
      return { contents };
    });
    const path = fileURLToPath(new URL('node_modules/chai/index.js', import.meta.url));
    onResolve({ filter: /^chai\/whole$/ }, () => ({ path, namespace: 'chai-whole' }));
    onLoad({ filter: /./, namespace: 'chai-whole' }, ({ path }) => ({ contents: readFileSync(path, 'utf8') }));
    onResolve({ filter: /^chai\/rest$/ }, () => ({ path, namespace: 'chai-rest' }));
    onLoad({ filter: /./, namespace: 'chai-rest' }, ({ path }) => {
      const { second, shared } = cut(path);
      const contents = `import { parts } from 'lmthing:internal/testing/expect';
        const { ${shared.join(', ')} } = parts;
        ${second}
        export { deep_eql_default, inspect };`;
      return { contents };
    });
  },
};
