// Bundles every entry of builtins.json to a minified ES module: `node bundle.mjs <output directory>`. Called by the build
// script of crates/runtime; the files are named <index>.js in the order of builtins.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chaiParts } from './chai-parts.mjs';
import { writeDeclarations } from './declarations.mjs';
import { writePages } from './pages.mjs';
import { lazyZod } from './zod/lazy.mjs';

const [, , outputDirectory] = process.argv;
if (!outputDirectory) throw new Error('usage: node bundle.mjs <output directory>');
const builtins = JSON.parse(readFileSync(new URL('builtins.json', import.meta.url), 'utf8'));
const names = Object.entries(builtins).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);

/** Keeps imports of other builtins and native modules; a builtin may bundle the npm package of its own name. */
const keepBuiltinsExternal = (entryPoint, alias) => ({
  name: 'builtins',
  setup({ onLoad, onResolve }) {
    // Replacements of packages take precedence over builtins of the same name.
    onResolve({ filter: /^[a-z@]/ }, ({ path }) => (path in alias ? { path: alias[path] } : undefined));
    // CommonJS packages `require` builtins (some with a trailing slash, to avoid npm packages of the same name): an
    // intermediate ES module turns that into an import.
    onResolve({ filter: /^[a-z]/ }, ({ path, importer, kind }) => {
      const name = path.replace(/\/$/, '');
      if (kind !== 'require-call' || !names.includes(name) || importer === entryPoint) return undefined;
      return { path: name, namespace: 'required-builtin' };
    });
    onLoad({ filter: /./, namespace: 'required-builtin' }, ({ path }) => ({ contents: `export * from ${JSON.stringify(path)};` }));
    onResolve({ filter: /./, namespace: 'required-builtin' }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^(node:|lmthing)/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^[a-z]/ }, ({ path, importer }) =>
      names.includes(path) && importer !== entryPoint ? { path, external: true } : undefined,
    );
  },
});

/**
 * Patches of the npm extract of Node's inspection code: replaces its stubs for engine functions by
 * `internal/inspect-natives.js`. A missing stub (in another version) fails the build.
 */
const INSPECT_PATCHES = [
  [/getPromiseDetails:function\(\)\{return\[(\w+),void 0\]\}/, 'getPromiseDetails:(promise)=>promiseDetails(promise,kPENDING,kREJECTED)'],
  [/getProxyDetails:\w+\.getProxyDetails,Proxy/, 'getProxyDetails:proxyDetails,Proxy'],
  [/isPromise:function\((\w+)\)\{return \w+\(\1,"Promise"\)\}/, 'isPromise:(value)=>isPromise(value)'],
  [/match\(\/\^\(async\\s\+\)\?function \*\\\*\/\)/, 'match(/^(async\\s+)?(function *\\*|\\*)/)'],
  [/isMap:function\((\w+)\)\{if\(!\w+\(\1,"Map"\)\)return!1;try\{\1\.has\(\)\}/, 'isMap:function($1){try{sizeOfMap($1)}'],
  [/isSet:function\((\w+)\)\{if\(!\w+\(\1,"Set"\)\)return!1;try\{\1\.has\(\)\}/, 'isSet:function($1){try{sizeOfSet($1)}'],
  [/var (\w+)=\w+\((\w+),"constructor"\);(?=if\(void 0!==\1&&"function"==typeof \1\.value&&""!==)/, 'var $1=constructorOf($2);'],
];

const patchInspect = {
  name: 'inspect',
  setup({ onLoad }) {
    onLoad({ filter: /node-inspect-extracted[\\/]dist[\\/]inspect\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      const symbols = /kPending:(\w+),kRejected:(\w+)/.exec(contents);
      for (const [place, replacement] of INSPECT_PATCHES) {
        if (!symbols || !place.test(contents)) throw new Error(`${path} has changed: ${place} is not there`);
        contents = contents.replace(place, replacement.replace('kPENDING', symbols[1]).replace('kREJECTED', symbols[2]));
      }
      return { contents, loader: 'js' };
    });
  },
};

/**
 * polywasm leaves a value on the stack after instructions such as `memory.fill`, so what was below is lost: `sql.js`
 * computed no aggregates. The five instructions take three operands and leave nothing.
 */
const patchWasm = {
  name: 'polywasm',
  setup({ onLoad }) {
    onLoad({ filter: /polywasm[\\/]index\.js$/ }, ({ path }) => {
      const [before, cases, after] = readFileSync(path, 'utf8').split(/(?=case 64520 \/\* memory_init \*\/: \{\s+const)|(?=default:\s+throw Error\("Unsupported instruction: 0xFC)/);
      if (after === undefined || cases.split('stackTop -= 2;').length !== 6) throw new Error(`${path} has changed: its instructions on memory and tables are not there`);
      const next = { '= -stackTop;': '= -(stackTop + 1);', '-(stackTop + 1)': '-(stackTop + 2)', '-(stackTop + 2)': '-(stackTop + 3)' };
      const mended = cases.replaceAll('stackTop -= 2;', 'stackTop -= 3;').replaceAll(/ \| stackTop << 24 \/\* OutSlotShift \*\//g, '').replaceAll(/= -stackTop;|-\(stackTop \+ [12]\)/g, (operand) => next[operand]);
      return { contents: before + mended + after, loader: 'js' };
    });
  },
};

/**
 * zod's error messages in 60 languages are more than half of it and rarely used: `z.locales` becomes an object that
 * loads them (the builtin `zod/v4/locales`) on first access. English stays included.
 */
const lazyLocales = {
  name: 'zod-locales',
  setup({ onLoad, onResolve }) {
    const EAGER = 'export * as locales from "../locales/index.js";';
    onLoad({ filter: /zod[\\/]v4[\\/](classic[\\/]external|core[\\/]index)\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!contents.includes(EAGER)) throw new Error(`${path} has changed: ${EAGER} is not there`);
      return { contents: contents.replace(EAGER, 'export { locales } from "lazy-locales";') };
    });
    onResolve({ filter: /^lazy-locales$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, '../locales/index.js'),
      namespace: 'lazy-locales',
    }));
    onLoad({ filter: /./, namespace: 'lazy-locales' }, ({ path }) => {
      const languages = [...readFileSync(path, 'utf8').matchAll(/export \{ default as (\w+) \}/g)].map(([, name]) => name);
      const contents = `
        import { importBuiltin } from 'lmthing:internal/native/modules';
        export const locales = ((names) => {
          const get = (name) => () => importBuiltin('zod/v4/locales')[name];
          return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get: get(name), enumerable: true }])));
        })(${JSON.stringify(languages)});`;
      return { contents };
    });
  },
};

const inBuiltins = (file) => fileURLToPath(new URL(`src/builtins/${file}`, import.meta.url));

/** Replacements of packages in all bundles. */
const ALIAS = {
  'abort-controller': inBuiltins('shared/abort-controller.js'),
  tinyrainbow: inBuiltins('testing/expect/packages/no-colors.js'),
};

/** Writes modules to the indexes of their entries. */
async function writeParts(modules) {
  const unknown = Object.keys(modules).filter((name) => !builtins[name]);
  if (unknown.length > 0) throw new Error(`builtins.json has no entry for ${unknown}`);
  Object.keys(builtins).forEach((name, index) => name in modules && writeFileSync(join(outputDirectory, `${index}.js`), modules[name]));
}

await Promise.all(
  Object.values(builtins).map(async ({ entry, inject = [], minifyNames = false, alias = {}, isTakenApart = false }, index) => {
    // Bundled as part of another entry.
    if (!entry) return;
    const entryPoint = inBuiltins(entry);
    const standIns = { ...ALIAS, ...Object.fromEntries(Object.entries(alias).map(([name, file]) => [name, inBuiltins(file)])) };
    const outfile = join(outputDirectory, `${index}.js`);
    const minify = { minifyIdentifiers: minifyNames, minifySyntax: true, minifyWhitespace: true };
    await build({
      entryPoints: [entryPoint],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['import', 'module'],
      target: 'es2022',
      ...(isTakenApart ? {} : minify),
      legalComments: 'none',
      logLevel: 'warning',
      // Used by minimatch's own tests only; a restricted file may not read variables.
      define: { 'process.env.__MINIMATCH_TESTING_PLATFORM__': 'undefined' },
      inject: inject.map(inBuiltins),
      plugins: [keepBuiltinsExternal(entryPoint, standIns), patchInspect, patchWasm, lazyLocales, chaiParts],
    });
    if (isTakenApart) await writeParts(await lazyZod(outfile));
  }),
);

writeDeclarations(join(outputDirectory, 'declarations.bin'));
await writePages(outputDirectory);
