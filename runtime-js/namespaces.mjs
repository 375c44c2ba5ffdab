// `export * as core from …`: esbuild makes an object of it with a getter for every export, so that it can be read before the
// module behind it has run. zod has 900 of these, a fifth of the time in which it loads. Nobody reads most of the objects
// before all of zod has run: they are filled then, with the values.
import { readFileSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';

const NAMESPACE = /^__export\((\w+), \{\n((?: {2}[\w$]+: \(\) => [\w$]+,?\n)+)\}\);\n/gm;
const EXPORTS = /^export \{\n/m;

/**
 * Has the namespaces of a bundle that is not minified filled at its end, but for those that are `early`: something reads them
 * while the bundle runs. Nothing can be assigned to them, as to real ones.
 */
export async function fillNamespacesLast(file, early, minify) {
  const code = readFileSync(file, 'utf8');
  const filled = [];
  const rest = code.replace(NAMESPACE, (whole, name, getters) => {
    if (early.includes(name)) return whole;
    filled.push(`Object.freeze(Object.assign(${name}, {\n${getters.replaceAll(': () => ', ': ')}}));\n`);
    return '';
  });
  const unknown = early.filter((name) => !code.includes(`__export(${name}, {`));
  if (filled.length === 0 || unknown.length > 0) throw new Error(`${file} has changed: no namespaces, or none named ${unknown}`);
  const { code: small } = await transform(rest.replace(EXPORTS, (whole) => filled.join('') + whole), minify);
  writeFileSync(file, small);
}
