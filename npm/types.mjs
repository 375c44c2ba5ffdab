// Writes the declarations of the package `lmthing`: `writeTypes(folder)`. They are those that `lmthing check` uses, as files
// of a package.
//
// A prompt file may import `zod` and Node's modules in a project that has neither. The package therefore has its own
// declarations of both, for those that TypeScript does not find: `#node` of package.json names `@types/node` before them,
// and those of zod are bound to patterns, which count only for imports that lead to no file.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { node, own, zod } from '../runtime-js/declarations.mjs';

const FALLBACKS = `/// <reference path="./types/fallbacks.d.ts" />\nimport '#node';\n\n`;
const FILES = { lmthing: 'index', 'lmthing/plugins': 'plugins', 'lmthing/test': 'test', 'lmthing/eval': 'eval' };
const PACKAGES = '/lmthing-types/node_modules/';

export function writeTypes(folder) {
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [, name, body] of own().get('/lmthing-types/lmthing.d.ts').matchAll(/^declare module '([^']+)' \{\n(.*?)^\}$/gms)) {
    write(`${FILES[name]}.d.ts`, FALLBACKS + moduleOf(body));
  }
  for (const [path, text] of [...zod(), ...node()]) {
    if (!path.endsWith('.d.ts')) continue;
    write(join('types', path.slice(PACKAGES.length).replace('@types/', '')), text.replaceAll('"undici-types"', '"#undici"'));
  }
  for (const name of ['zod', '@types/node', 'undici-types']) {
    const license = fileURLToPath(new URL(`../runtime-js/node_modules/${name}/LICENSE`, import.meta.url));
    cpSync(license, join(folder, 'types', name.replace('@types/', ''), 'LICENSE'));
  }
}

/** The contents of an ambient module as those of a file. */
function moduleOf(body) {
  const text = body.replace(/^  /gm, '').replace(/^const everything/m, 'declare const everything');
  return text.replace(/(from |import\()'(lmthing[^']*)'/g, (_, before, name) => `${before}'./${FILES[name]}.js'`);
}
