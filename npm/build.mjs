// Builds the npm packages: `lmthing`, and the package that has the binary for one system.
//
//   node npm/build.mjs --bin FILE [--target TRIPLE] --out DIR
//
// Without --target the binary is one for the system that this runs on. Prints the paths of the two archives. `lmthing` is
// the same whatever the target. Needs npm, and the packages of `runtime-js`, which it installs when they are missing.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { eventTypes } from './events.mjs';
import { SYSTEMS, VERSION } from './systems.mjs';
import { writeTypes } from './types.mjs';

const USAGE = 'usage: node npm/build.mjs --bin FILE [--target TRIPLE] --out DIR';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEMPLATE = join(ROOT, 'npm/package');
const RUNTIME = join(ROOT, 'runtime-js');
const LICENSES = ['LICENSE-MIT', 'LICENSE-APACHE'];
const NPM = { encoding: 'utf8', shell: process.platform === 'win32' };
const { thisSystem } = createRequire(import.meta.url)('./package/binary.js');

function main() {
  const { bin, target, out } = readArguments();
  const system = systemOf(target);
  const stage = mkdtempSync(join(tmpdir(), 'lmthing-npm-'));
  try {
    stageMain(join(stage, 'lmthing'));
    stageSystem(join(stage, system.name), system, bin);
    mkdirSync(out, { recursive: true });
    for (const name of ['lmthing', system.name]) console.log(pack(join(stage, name), out));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function readArguments() {
  let values;
  try {
    ({ values } = parseArgs({ options: { bin: { type: 'string' }, target: { type: 'string' }, out: { type: 'string' } } }));
  } catch (error) {
    throw new Usage(error.message);
  }
  const { bin, target, out } = values;
  if (!bin || !out) throw new Usage(`${bin ? '--out' : '--bin'} is missing`);
  if (!statSync(bin, { throwIfNoEntry: false })?.isFile()) throw new Usage(`there is no file ${bin}`);
  return { bin, target, out: resolve(out) };
}

class Usage extends Error {}

function systemOf(target) {
  const { name, system } = thisSystem();
  const found = SYSTEMS.find((one) => (target ? one.triple === target : one.name === name));
  if (found) return found;
  const known = SYSTEMS.map(({ triple }) => triple).join(', ');
  throw new Usage(`there is no package for ${target ?? system}; --target may be ${known}`);
}

/** The package `lmthing`: what `package/` has, and files of the repository. */
function stageMain(folder) {
  if (!existsSync(join(RUNTIME, 'node_modules/zod'))) {
    execFileSync('npm', ['ci', '--ignore-scripts'], { ...NPM, cwd: RUNTIME, stdio: ['ignore', process.stderr, 'inherit'] });
  }
  cpSync(TEMPLATE, folder, { recursive: true });
  writeTypes(folder);
  writeFileSync(join(folder, 'events.d.mts'), eventTypes());
  copyFromRoot(folder, [...LICENSES, 'SKILL.md', 'llms.txt']);
  const template = JSON.parse(readFileSync(join(TEMPLATE, 'package.json'), 'utf8'));
  const optionalDependencies = Object.fromEntries(SYSTEMS.map(({ name }) => [name, VERSION]));
  writeManifest(folder, { ...template, version: VERSION, optionalDependencies });
  chmodSync(join(folder, template.bin.lmthing), 0o755);
}

function stageSystem(folder, { triple, name, os, cpu, libc }, bin) {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFromRoot(folder, LICENSES);
  const { license } = JSON.parse(readFileSync(join(TEMPLATE, 'package.json'), 'utf8'));
  const description = `The binary of lmthing for ${triple}; installed by the package lmthing`;
  const system = { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
  // In an archive, as Yarn keeps packages, a binary cannot be started.
  writeManifest(folder, { name, version: VERSION, description, license, ...system, preferUnplugged: true });
  writeFileSync(join(folder, 'README.md'), `# ${name}\n\n${description}.\n`);
  const binary = join(folder, 'bin', os === 'win32' ? 'lmthing.exe' : 'lmthing');
  copyFileSync(bin, binary);
  chmodSync(binary, 0o755);
}

function copyFromRoot(folder, names) {
  for (const name of names) copyFileSync(join(ROOT, name), join(folder, name));
}

function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Packs a folder; returns the path of the archive. */
function pack(folder, out) {
  const options = { ...NPM, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] };
  const printed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], options);
  return join(out, printed.trim());
}

try {
  main();
} catch (error) {
  if (!(error instanceof Usage)) throw error;
  console.error(`npm/build.mjs: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
