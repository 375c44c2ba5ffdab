// What the tests of the npm packages share: temporary folders, the packages, processes.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SYSTEMS, VERSION } from '../systems.mjs';

export { VERSION };

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BINARY = process.env.LMTHING_TEST_BINARY ?? join(ROOT, 'target/debug/lmthing');

/** A prompt file that writes its process id to the file `pid`, answers `begun`, and then does not end by itself. */
export const ENDLESS = `import { writeFileSync } from 'node:fs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'begun' }, { type: 'tool-call', toolName: 'wait', args: {} }];
export default async ({ defTool, $ }) => {
  defTool('wait', 'Waits.', { type: 'object' }, () => new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1)));
  writeFileSync(new URL('pid', import.meta.url), String(process.pid));
  $\`go\`;
};
`;

/** The process id that ENDLESS has written. */
export const pidOf = (folder) => Number(readFileSync(join(folder, 'pid'), 'utf8'));

const temporary = mkdtempSync(join(tmpdir(), 'lmthing-npm-test-'));
after(() => rmSync(temporary, { recursive: true, force: true }));

/** A temporary folder with files. */
export function folderOf(files = {}) {
  const folder = mkdtempSync(join(temporary, 'f-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A program that is a shell script. */
export function script(text) {
  const path = join(folderOf({ script: `#!/bin/sh\n${text}\n` }), 'script');
  chmodSync(path, 0o755);
  return path;
}

/** The archives that the release builds, in a folder. Their binary is a script that starts the one under test. */
export function builtPackages() {
  const out = folderOf();
  const bin = script(`exec '${BINARY}' "$@"`);
  const build = [join(ROOT, 'npm/build.mjs'), '--bin', bin, '--target', 'x86_64-unknown-linux-gnu', '--out', out];
  execFileSync('node', build, { stdio: ['ignore', 'ignore', 'inherit'] });
  return out;
}

/** The same, and packages of the other systems, whose binary says that it is the wrong one. */
export function packagesOfAllSystems() {
  const out = builtPackages();
  for (const { name, os, cpu, libc } of SYSTEMS.filter((system) => system.name !== 'lmthing-linux-x64')) {
    const manifest = { name, version: VERSION, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
    const folder = folderOf({ 'package/package.json': JSON.stringify(manifest), 'package/bin/lmthing': '' });
    execFileSync('tar', ['-czf', join(out, `${name}-${VERSION}.tgz`), '-C', folder, 'package']);
  }
  return out;
}

/** Unpacks `lmthing` and its package for this system as package managers do. */
export function unpackInto(folder, packages, names = ['lmthing', 'lmthing-linux-x64']) {
  for (const name of names) {
    const to = join(folder, 'node_modules', name);
    mkdirSync(to, { recursive: true });
    execFileSync('tar', ['-xzf', join(packages, `${name}-${VERSION}.tgz`), '-C', to, '--strip-components=1']);
  }
}

/** Runs a program to its end: `{code, signal, stdout, stderr}`. `started` gets the process. */
export function runProgram(program, args, { started, input = '', ...options } = {}) {
  const child = spawn(program, args, { ...options, stdio: 'pipe' });
  const outcome = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (outcome[name] += text));
  child.stdin.on('error', () => {}).end(input);
  started?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...outcome }));
  });
}

/** Whether a process of this id runs. */
export function runs(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until the process of this id has ended. Fails after a minute, far more than a busy machine needs. */
export async function hasEnded(pid) {
  for (let tries = 0; runs(pid); tries += 1) {
    if (tries === 3000) {
      process.kill(pid, 'SIGKILL');
      assert.fail(`process ${pid} has not ended`);
    }
    await wait(20);
  }
}
