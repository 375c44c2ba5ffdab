// Reads the CLDR packages of npm without unpacking them, which would write 300 MB in 16 000 files.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;
const root = new URL('../', import.meta.url);
const readRoot = (name) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

/** The CLDR packages of package.json, as `name@version`. They are no dependencies, so that `npm ci` skips them. */
const wanted = () => Object.entries(readRoot('package.json').devDependencies).filter(([name]) => name.startsWith('cldr-'));

/** Downloads the packages (or copies them from npm's cache) to `folder`. */
function download(folder) {
  const names = wanted().map(([name, version]) => `${name}@${version}`);
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' };
  execFileSync('npm', ['pack', '--silent', '--prefer-offline', '--pack-destination', folder, ...names], options);
}

/** Reads a package, and checks it against package-lock.json. */
function readChecked(folder, name, version) {
  const bytes = readFileSync(join(folder, `${name}-${version}.tgz`));
  const { integrity } = readRoot('package-lock.json').packages[`node_modules/${name}`];
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not what package-lock.json says: its hash is ${found}`);
  return bytes;
}

/** The files of a tar archive: `[path, contents]`. */
function* filesOf(archive) {
  const text = (start, length) => archive.toString('utf8', start, start + length).replace(/\0.*$/s, '');
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const size = parseInt(text(at + 124, 12), 8);
    const [name, kind, prefix] = [text(at, 100), text(at + 156, 1), text(at + 345, 155)];
    const start = at + BLOCK;
    if (kind === '0' || kind === '') yield [prefix ? `${prefix}/${name}` : name, archive.subarray(start, start + size)];
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** The JSON files of the packages that `isKept` selects, by path: `cldr-core/supplemental/metaZones.json`. */
export function readPackages(folder, isKept) {
  const files = new Map();
  mkdirSync(folder, { recursive: true });
  download(folder);
  for (const [name, version] of wanted()) {
    for (const [path, contents] of filesOf(gunzipSync(readChecked(folder, name, version)))) {
      const inside = path.replace(/^[^/]+/, name);
      // A copy, so that the archive can be freed.
      if (isKept(inside)) files.set(inside, contents.toString('utf8'));
    }
  }
  rmSync(folder, { recursive: true });
  return files;
}
