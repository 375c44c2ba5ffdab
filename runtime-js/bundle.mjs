// Bundles every entry of builtins.json to one minified ES module each: `node bundle.mjs <output directory>`.
// build.rs calls it; the files are named <index>.js in the order of builtins.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const outputDirectory = process.argv[2];
if (!outputDirectory) throw new Error('usage: node bundle.mjs <output directory>');
const builtins = JSON.parse(readFileSync(new URL('builtins.json', import.meta.url), 'utf8'));
const names = Object.entries(builtins).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);

/** Other builtins and the modules that Rust provides stay imports; a builtin may still bundle the npm package it is named after. */
const keepBuiltinsExternal = (entryPoint) => ({
  name: 'builtins',
  setup({ onLoad, onResolve }) {
    // CommonJS packages reach other builtins by `require` (some with a slash at the end, against their namesakes on npm):
    // an ES module in between turns that into an import.
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

await Promise.all(
  Object.values(builtins).map(({ entry, minifyNames = false }, index) => {
    const entryPoint = fileURLToPath(new URL(`src/builtins/${entry}`, import.meta.url));
    return build({
      entryPoints: [entryPoint],
      outfile: join(outputDirectory, `${index}.js`),
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['import', 'module'],
      target: 'es2022',
      minifySyntax: true,
      minifyWhitespace: true,
      minifyIdentifiers: minifyNames,
      legalComments: 'none',
      logLevel: 'warning',
      plugins: [keepBuiltinsExternal(entryPoint)],
    });
  }),
);
