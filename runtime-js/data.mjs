// Writes the archives of locales, prices and TypeScript's library: `node data.mjs <output directory> [<root>]`. The build script of
// crates/data calls it; `root` is the folder of Cargo.lock. Needs no packages but those that it fetches itself.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLibrary } from './library.mjs';
import { writePrices } from './prices.mjs';

const [, , outputDirectory, root = fileURLToPath(new URL('..', import.meta.url))] = process.argv;
if (!outputDirectory) throw new Error('usage: node data.mjs <output directory> [<root>]');
mkdirSync(outputDirectory, { recursive: true });

// Reading CLDR takes seconds: only when its packages or the scripts that read them have changed.
const locales = join(outputDirectory, 'locales.bin');
const inputs = ['package-lock.json', ...readdirSync(new URL('locales/', import.meta.url)).map((name) => `locales/${name}`)];
const stamp = createHash('sha256').update(inputs.map((name) => readFileSync(new URL(name, import.meta.url))).join('\0')).digest('hex');
const stampFile = `${locales}.stamp`;
if (!existsSync(locales) || !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  const { writeArchive } = await import('./locales/archive.mjs');
  const { Cldr } = await import('./locales/read-cldr.mjs');
  writeArchive(new Cldr(resolve(outputDirectory, 'cldr')), locales);
  writeFileSync(stampFile, stamp);
}

writePrices(root, join(outputDirectory, 'prices.bin'));
writeLibrary(root, join(outputDirectory, 'library.bin'));
