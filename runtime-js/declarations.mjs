// Writes the declarations that prompt files are checked against: `writeDeclarations(file)`. They are those in `types/`
// and, without comments, those of zod, @types/node and undici-types for what lmthing supports. `check/declarations.rs`
// reads the archive: length of the table, table (lines `= GROUP LENGTH` with the compressed length of a group, each
// followed by lines `PATH LENGTH` for its files), groups.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

/** The folder of all declarations in the archive. */
const ROOT = '/lmthing-types/';
const inPackages = (path) => new URL(`node_modules/${path}`, import.meta.url);
const read = (path) => readFileSync(inPackages(path), 'utf8');

export function writeDeclarations(file) {
  const groups = { own: own(), zod: zod(), node: node() };
  const blobs = Object.values(groups).map((files) => deflateRawSync([...files.values()].join(''), { level: 9 }));
  const lines = Object.entries(groups).flatMap(([group, files], index) => [
    `= ${group} ${blobs[index].length}`,
    ...[...files].map(([path, text]) => `${path} ${Buffer.byteLength(text)}`),
  ]);
  const table = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  writeFileSync(file, Buffer.concat([length, table, ...blobs]));
}

/** lmthing's own files keep their comments: `lmthing types` writes them for editors. */
export function own() {
  const folder = new URL('types/', import.meta.url);
  return new Map(readdirSync(folder).sort().map((name) => [ROOT + name, readFileSync(new URL(name, folder), 'utf8')]));
}

/** The files that `zod`, `zod/v4` and `zod/v4/locales` import. */
export function zod() {
  const files = new Map();
  const root = `${ROOT}node_modules/zod/`;
  const add = (path) => {
    if (files.has(root + path)) return;
    const text = path === LOCALES ? locales() : withoutComments(read(`zod/${path}`));
    files.set(root + path, text);
    for (const [, to] of text.matchAll(/\bfrom "(\.[^"]+)\.js"/g)) add(`${join(dirname(path), to)}.d.ts`);
  };
  ['index.d.ts', 'v4/index.d.ts', LOCALES].forEach(add);
  return files.set(`${root}package.json`, manifest('zod'));
}

const LOCALES = 'v4/locales/index.d.ts';

/** One file for the 60 languages, whose declarations are the same. */
function locales() {
  const index = read(`zod/${LOCALES}`);
  const names = [...index.matchAll(/export \{ default as (\w+) \}/g)].map(([, name]) => name);
  const other = withoutComments(index).replace(/export \{ default as \w+ \} from "[^"]+";/g, '').trim();
  const first = withoutComments(read(`zod/v4/locales/${names[0]}.d.ts`)).trim();
  if (names.length < 50 || other !== '' || !first.includes('export default function ()')) throw new Error('the locales of zod have changed');
  const exported = names.map((name) => `locale as ${name}`).join(', ');
  return `${first.replace('export default function', 'declare function locale')}\nexport { ${exported} };\n`;
}

/** Unsupported modules, and types that the library of the language declares. */
const LEFT_OUT = ['test', 'wasi', 'sea', 'http2', 'inspector.generated', 'repl', 'compatibility/index', 'compatibility/indexable'];
/** The rest of undici-types declares clients that only the package itself has. */
const UNDICI_ENTRIES = ['fetch', 'formdata', 'eventsource', 'websocket'];

/** Node's modules and globals, in the order of @types/node's index. */
export function node() {
  const files = new Map();
  const root = `${ROOT}node_modules/@types/node/`;
  const paths = ['', 'compatibility/'].flatMap((folder) =>
    [...read(`@types/node/${folder}index.d.ts`).matchAll(/<reference path="([^"]+)\.d\.ts"/g)].map(([, path]) => folder + path),
  );
  const kept = paths.filter((path) => !LEFT_OUT.includes(path));
  for (const path of kept) files.set(`${root}${path}.d.ts`, withoutComments(read(`@types/node/${path}.d.ts`)));
  const declared = [...files.values()].flatMap((text) => [...text.matchAll(/declare module "([^"]+)"/g)].map(([, name]) => name));
  // Unsupported modules are `any`.
  const others = offered().filter((name) => !declared.includes(name));
  const modules = new Set([...declared, ...others]);
  // `process.getBuiltinModule` has a line for each module.
  const builtin = /^"[^"]+": typeof import\("([^"]+)"\);\n/gm;
  files.set(`${root}process.d.ts`, files.get(`${root}process.d.ts`).replace(builtin, (line, name) => (modules.has(name) ? line : '')));
  const index = [...kept.map((path) => `/// <reference path="${path}.d.ts" />`), ...others.map((name) => `declare module "${name}";`)];
  files.set(`${root}index.d.ts`, `${index.join('\n')}\n`);
  files.set(`${root}package.json`, manifest('@types/node'));
  for (const [path, text] of undici()) files.set(path, text);
  return files;
}

function offered() {
  const builtins = JSON.parse(readFileSync(new URL('builtins.json', import.meta.url), 'utf8'));
  return Object.entries(builtins).filter(([name]) => name.startsWith('node:')).flatMap(([name, { aliases }]) => [name, ...aliases]);
}

function undici() {
  const root = `${ROOT}node_modules/undici-types/`;
  const entries = UNDICI_ENTRIES.map((name) => `export * from './${name}'`);
  const files = new Map([[`${root}index.d.ts`, `${entries.join('\n')}\n`]]);
  const add = (name) => {
    const path = `${root}${name}.d.ts`;
    if (files.has(path)) return;
    const text = withoutComments(read(`undici-types/${name}.d.ts`));
    files.set(path, text);
    for (const [, to] of text.matchAll(/['"]\.\/([\w-]+)['"]/g)) add(to);
  };
  UNDICI_ENTRIES.forEach(add);
  return files.set(`${root}package.json`, manifest('undici-types'));
}

/** The part of a package.json that module resolution needs. */
function manifest(name) {
  const { version, license, type } = JSON.parse(read(`${name}/package.json`));
  return `${JSON.stringify({ name, version, license, type, types: './index.d.ts' })}\n`;
}

/** Removes comments and indentation, which only cost parsing time. */
export function withoutComments(text) {
  const tokens = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\*[^]*?\*\/|\/\/.*/g;
  // zod needs some of its `@ts-ignore` comments.
  const isIdle = (token) => token.startsWith('/') && !token.includes('@ts-ignore');
  const bare = text.replace(tokens, (token) => (isIdle(token) ? ' ' : token));
  return bare.split('\n').map((line) => line.trim()).filter((line) => line !== '').map((line) => `${line}\n`).join('');
}
