// Splits the bundle of zod into modules whose declarations are evaluated on first use: evaluating all of zod takes
// milliseconds, and most files use a tenth of it. The code is that of npm; only references to declarations become
// `unit(number)`. Declarations are grouped by running typical uses of zod (uses.mjs) and recording what they need.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { takeApart } from './units.mjs';
import { USES } from './uses.mjs';

const RUNTIME = fileURLToPath(new URL('../src/builtins/zod/units.js', import.meta.url));
const PREFIX = 'lmthing:internal/zod/';
/** Groups for declarations that uses.mjs does not need, by source file. */
const REST = [
  ['compile', /core\/compile\.js$/],
  ['from-json-schema', /from-json-schema\.js$/],
  ['rest', /./],
];

/** Functions of zod that are replaced, and a hash of their code. */
const REPLACED = [
  { functions: ['members', 'defineBound'], by: '../src/builtins/zod/members.js', hash: '7e33633a77a71b21' },
  { functions: ['$constructor'], by: '../src/builtins/zod/constructor.js', hash: 'f09a144cd7296c94' },
  { functions: ['_default2', 'prefault'], by: '../src/builtins/zod/defaults.js', hash: 'd94bd8571d727556' },
];

/** The modules by builtin name. */
export async function lazyZod(file) {
  const bundle = takeApart(REPLACED.reduce(withReplaced, readFileSync(file, 'utf8')));
  // The result of `import * as z from 'zod'`.
  bundle.namespaces.set('$', bundle.exported);
  addAliases(bundle);
  const parts = await partsOf(bundle);
  const layout = layOut(bundle, parts);
  const modules = { zod: allOf(layout), [`${PREFIX}z`]: coreOf(layout) };
  for (const [part, units] of parts) modules[PREFIX + part] = partOf(layout, units);
  const small = Object.entries(modules).map(async ([name, code]) => [name, await shrink(code)]);
  return Object.fromEntries(await Promise.all(small));
}

function withReplaced(code, { functions, by, hash: known }) {
  const place = (name) => new RegExp(`^function ${name.replace('$', '\\$')}\\([^]*?^}$`, 'm');
  const places = functions.map((name) => place(name).exec(code)?.[0]);
  const hash = createHash('sha256').update(places.join('\n')).digest('hex').slice(0, 16);
  if (hash !== known) throw new Error(`zod has changed: ${functions} (${hash}), see ${by}`);
  const [first, ...others] = places;
  const own = readFileSync(new URL(by, import.meta.url), 'utf8');
  return others.reduce((rest, place) => rest.replace(place, ''), code).replace(first, () => own);
}

/** An exported variable becomes an additional unit: it is assigned once, during evaluation. */
function addAliases({ units, state, namespaces }) {
  for (const entries of namespaces.values()) {
    for (const entry of entries) {
      if (!state.has(entry[1])) continue;
      units.set(`${entry[1]} exported`, { variable: entry[1] });
      entry[1] = `${entry[1]} exported`;
    }
  }
}

/** Assigns numbers: consecutive within a part, namespaces last. */
function layOut(bundle, parts) {
  const order = [...parts.flatMap(([, units]) => units), ...bundle.namespaces.keys()];
  const numbers = new Map(order.map((name, number) => [name, number]));
  const unit = (name) => `unit(${numbers.get(name)})`;
  const variable = (name) => `state.${name}`;
  const text = (node, unitOf = unit) => bundle.text(node, { unit: unitOf, variable });
  return { bundle, parts, numbers, text, unit };
}

/** The function that evaluates the units of a part, by their numbers within it; `own` has the existing ones. */
function declarations({ bundle, numbers, text, unit }, units) {
  const inside = new Map(units.map((name, number) => [name, number]));
  const unitOf = (name) => (inside.has(name) ? `(own[${inside.get(name)}] ?? ${unit(name)})` : unit(name));
  const cases = units.map((name, number) => {
    const { node, variable } = bundle.units.get(name);
    return `case ${number}: return ${variable ? `state.${variable}` : text(node, unitOf)};`;
  });
  // Cases are tested in sequence.
  const rows = [];
  for (let row = 0; row * 16 < cases.length; row++) {
    rows.push(`case ${row}: switch (number) { ${cases.slice(row * 16, row * 16 + 16).join('\n')} }`);
  }
  return `(number) => { switch (number >> 4) { ${rows.join('\n')} } }`;
}

/** The code that runs immediately: variables, statements, and the main namespace. */
function coreOf(layout, load = `(part) => importBuiltin(${JSON.stringify(PREFIX)} + part).default`) {
  const { bundle, parts, numbers, text, unit } = layout;
  let count = 0;
  const starts = parts.map(([part, { length }]) => [part, (count += length) - length]);
  const namespaces = [...bundle.namespaces.values()].map((entries) => JSON.stringify(listed(entries, numbers)));
  const variables = [...bundle.state].map(([name, { node }]) => `${name}: ${node ? text(node) : 'undefined'}`);
  return `import { lazyUnits } from ${JSON.stringify(RUNTIME)};
    ${bundle.imports.join('\n')}
    const load = ${load};
    const open = (declare, own) => declare(unit, own, state, importBuiltin);
    const exports = (namespace) => { switch (namespace) { ${namespaces.map((list, index) => `case ${index}: return ${list};`).join('\n')} } };
    export const unit = lazyUnits(load, open, ${JSON.stringify(starts)}, ${count}, exports);
    export const state = { ${variables.join(', ')} };
    ${bundle.statements.map((statement) => text(statement)).join('\n')}
    export const z = ${unit('external_exports')};
    export const $ = ${unit('$')};
    export { z as default };`;
}

/**
 * The names of a namespace with their numbers, grouped by first letter: searching a text with hundreds of names is
 * slow.
 */
function listed(entries, numbers) {
  const lists = {};
  for (const [key, name] of entries) {
    if (key in Object.prototype || /[,:]/.test(key)) throw new Error(`zod has changed: it exports ${key}`);
    lists[key[0]] = `${lists[key[0]] ?? ','}${key}:${numbers.get(name)},`;
  }
  return lists;
}

/** A part must not import: QuickJS cannot link a module during its evaluation, which is when parts are loaded. */
function partOf(layout, units) {
  return `export default (unit, own, state, importBuiltin) => ${declarations(layout, units)};`;
}

function allOf({ bundle, unit }) {
  const own = bundle.exported.filter(([name]) => name !== 'z' && name !== 'default');
  const values = own.map(([, name], index) => `const v${index} = ${unit(name)};`);
  const names = own.map(([name], index) => `v${index} as ${name}`);
  return `import { unit, z } from ${JSON.stringify(`${PREFIX}z`)};\n${values.join('\n')}\nexport { z, z as default, ${names.join(', ')} };`;
}

/** `[part, [names of units]]` for each part; measured with a build in which each unit is a part. */
async function partsOf(bundle) {
  const names = [...bundle.units.keys()];
  const layout = layOut(bundle, names.map((name) => [name, [name]]));
  const core = coreOf(layout, '(part) => { touched.push(part); return () => () => declare(names.indexOf(part)); }');
  const folder = mkdtempSync(join(tmpdir(), 'lmthing-zod-'));
  try {
    const path = join(folder, 'zod.mjs');
    const own = `import { lazyUnits } from ${JSON.stringify(pathToFileURL(RUNTIME))};
      export const touched = [];
      const names = ${JSON.stringify(names)};
      const importBuiltin = undefined;
      const own = [];
      const declare = ${declarations(layout, names)};`;
    writeFileSync(path, own + core.replace(/^ *import .*$/gm, ''));
    const { z, touched } = await import(pathToFileURL(path));
    return sortByUse(bundle, z, touched);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sortByUse({ units }, z, touched) {
  const parts = Object.entries(USES).map(([part, use]) => {
    use(z);
    return [part, touched.splice(0)];
  });
  const left = new Set(units.keys());
  parts.forEach(([, used]) => used.forEach((name) => left.delete(name)));
  for (const [part, place] of REST) {
    const own = [...left].filter((name) => place.test(units.get(name).module ?? 'zod'));
    own.forEach((name) => left.delete(name));
    parts.push([part, own]);
  }
  return parts;
}

/** Keeps function names, which are in stack traces; names of variables are stripped from bytecode anyway. */
async function shrink(contents) {
  const external = ({ path }) => ({ path, external: true });
  const plugins = [{ name: 'builtins', setup: ({ onResolve }) => void onResolve({ filter: /^lmthing:/ }, external) }];
  const format = { format: 'esm', target: 'es2022', platform: 'neutral', minifyWhitespace: true, legalComments: 'none' };
  const stdin = { contents, resolveDir: '.', loader: 'js' };
  const { outputFiles } = await build({ ...format, bundle: true, write: false, plugins, stdin });
  return outputFiles[0].text;
}
