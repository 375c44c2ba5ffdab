// Finds data files in crates: `fileOfCrate(root, name, path)` is the path of a file in the crate version that
// `root`/Cargo.lock names.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export function versionOfCrate(root, name) {
  const lock = readFileSync(join(root, 'Cargo.lock'), 'utf8');
  const found = new RegExp(`name = "${name}"\\r?\\nversion = "([^"]+)"`).exec(lock);
  if (!found) throw new Error(`Cargo.lock does not name the crate ${name}`);
  return found[1];
}

/** Usually in cargo's registry folder; otherwise (vendored, replaced) from `cargo metadata`. */
export function fileOfCrate(root, name, path) {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry', 'src');
  const crate = `${name}-${versionOfCrate(root, name)}`;
  const folders = existsSync(sources) ? readdirSync(sources).map((source) => join(sources, source, crate)) : [];
  const found = folders.map((folder) => join(folder, path)).find((file) => existsSync(file));
  return found ?? join(crateFolder(root, name), path);
}

function crateFolder(root, crate) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 };
  const { packages } = JSON.parse(execFileSync(process.env.CARGO ?? 'cargo', ['metadata', '--format-version', '1'], options));
  return dirname(packages.find(({ name }) => name === crate).manifest_path);
}
