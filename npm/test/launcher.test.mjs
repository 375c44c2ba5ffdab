// The launcher: what it passes on to the binary, how it ends, and what it says when there is no binary.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SYSTEMS } from '../systems.mjs';
import {
  ENDLESS, ROOT, VERSION, builtPackages, folderOf, hasEnded, pidOf, runProgram, runs, script, unpackInto,
} from './support.mjs';

const packages = builtPackages();
const installed = folderOf();
unpackInto(installed, packages);
const launcher = join(installed, 'node_modules/lmthing/bin/lmthing.js');
const manifestOf = (name) => JSON.parse(readFileSync(join(installed, 'node_modules', name, 'package.json'), 'utf8'));

/** A launcher whose binary is a shell script. */
function launcherOf(text, mode = 0o755) {
  const folder = folderOf();
  unpackInto(folder, packages);
  const binary = join(folder, 'node_modules/lmthing-linux-x64/bin/lmthing');
  copyFileSync(script(text), binary);
  chmodSync(binary, mode);
  return join(folder, 'node_modules/lmthing/bin/lmthing.js');
}

describe('the packages', () => {
  test('name exactly this version of every system, and have no scripts', () => {
    const main = manifestOf('lmthing');
    assert.deepEqual(main.optionalDependencies, Object.fromEntries(SYSTEMS.map(({ name }) => [name, VERSION])));
    const system = manifestOf('lmthing-linux-x64');
    assert.deepEqual([system.os, system.cpu, system.libc, system.preferUnplugged], [['linux'], ['x64'], ['glibc'], true]);
    for (const manifest of [main, system]) assert.deepEqual([manifest.version, manifest.scripts], [VERSION, undefined]);
    for (const file of ['README.md', 'SKILL.md', 'llms.txt', 'LICENSE-MIT', 'LICENSE-APACHE', 'types/zod/LICENSE']) {
      assert.ok(readFileSync(join(installed, 'node_modules/lmthing', file), 'utf8').length > 50, file);
    }
  });

  test('are built for other systems, and refuse unknown ones', async () => {
    const out = folderOf();
    const build = (...args) => runProgram('node', [join(ROOT, 'npm/build.mjs'), ...args]);
    const built = await build('--bin', '/bin/sh', '--target', 'x86_64-pc-windows-msvc', '--out', out);
    assert.equal(built.code, 0, built.stderr);
    assert.deepEqual(readdirSync(out).sort(), [`lmthing-${VERSION}.tgz`, `lmthing-win32-x64-${VERSION}.tgz`]);
    const archive = join(out, `lmthing-win32-x64-${VERSION}.tgz`);
    assert.match(execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }), /^package\/bin\/lmthing\.exe$/m);
    for (const [args, message] of [
      [['--bin', '/bin/sh', '--target', 'sparc-sun-solaris', '--out', out], /no package for sparc-sun-solaris; --target may be /],
      [['--bin', '/nowhere', '--out', out], /there is no file \/nowhere/],
      [['--out', out], /--bin is missing\nusage: /],
    ]) {
      const refused = await build(...args);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, message);
    }
  });
});

describe('the launcher', { concurrency: 4 }, () => {
  test('passes on arguments, standard streams and exit codes', async () => {
    const echo = launcherOf('printf "%s|" "$@"; cat; echo wrong >&2; exit 3');
    const outcome = await runProgram(echo, ['a b', '', '--x=*', '-'], { input: 'from stdin' });
    assert.deepEqual(outcome, { code: 3, signal: null, stdout: 'a b||--x=*|-|from stdin', stderr: 'wrong\n' });
    const version = await runProgram(launcher, ['--version']);
    assert.deepEqual(version, { code: 0, signal: null, stdout: `lmthing ${VERSION}\n`, stderr: '' });
  });

  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]]) {
    test(`passes on ${signal}`, async () => {
      const file = join(folderOf({ 'p.lmt.mjs': ENDLESS }), 'p.lmt.mjs');
      const started = (child) => child.stdout.once('data', () => child.kill(signal));
      const outcome = await runProgram(launcher, ['run', '-f', 'events', file], { started });
      assert.deepEqual([outcome.code, outcome.signal], [code, null], outcome.stderr);
    });
  }

  test('takes the binary with it when it is killed', async () => {
    const folder = folderOf({ 'p.lmt.mjs': ENDLESS });
    // A binary that goes on keeps the pipes open, so the end of the output is not waited for.
    const signal = await new Promise((resolve) => {
      const started = (child) => {
        child.on('exit', (code, signal) => resolve(signal));
        child.stdout.on('data', (text) => text.includes('"tool-call"') && child.kill('SIGKILL'));
      };
      runProgram(launcher, ['run', '-f', 'events', 'p.lmt.mjs'], { cwd: folder, started });
    });
    assert.equal(signal, 'SIGKILL');
    await hasEnded(pidOf(folder));
  });

  test('ends by the signal that ended the binary', async () => {
    for (const signal of ['KILL', 'TERM', 'ABRT', 'PIPE']) {
      const outcome = await runProgram(launcherOf(`ulimit -c 0; kill -${signal} $$`), []);
      // Node ignores SIGPIPE.
      const expected = signal === 'PIPE' ? [141, null] : [null, `SIG${signal}`];
      assert.deepEqual([outcome.code, outcome.signal], expected);
    }
  });

  test('leaves no binary running when a signal ends both', async () => {
    let pid;
    const started = (child) => child.stdout.once('data', (text) => {
      pid = Number(text);
      child.kill('SIGTERM');
    });
    const outcome = await runProgram(launcherOf('echo $$; exec sleep 30'), [], { started });
    assert.deepEqual([outcome.signal, runs(pid)], ['SIGTERM', false]);
  });

  test('gives the binary the terminal', async (context) => {
    const python = await runProgram('python3', ['--version']).catch(() => undefined);
    if (!python) return context.skip('there is no python3');
    const asks = launcherOf('[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo on a terminal');
    const outcome = await runProgram('python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', 'node', asks]);
    assert.match(outcome.stdout, /on a terminal/);
  });

  test('says what is missing, and what to do', async () => {
    const alone = folderOf();
    unpackInto(alone, packages, ['lmthing']);
    const outcome = await runProgram(join(alone, 'node_modules/lmthing/bin/lmthing.js'), ['--version']);
    assert.deepEqual([outcome.code, outcome.stdout], [1, '']);
    assert.match(outcome.stderr, /^Error: the package lmthing-linux-x64, .*\(linux x64, glibc\), is not installed\n/);
    for (const advice of [/--omit=optional/, /lock file/, /cargo install lmthing/]) assert.match(outcome.stderr, advice);
  });

  test('names a system without a package', async () => {
    for (const [property, value, system] of [['platform', 'freebsd', 'freebsd x64'], ['arch', 'riscv64', 'linux riscv64, glibc']]) {
      const preload = join(folderOf({ 'p.cjs': `Object.defineProperty(process, '${property}', { value: '${value}' });` }), 'p.cjs');
      const outcome = await runProgram('node', ['--require', preload, launcher]);
      assert.equal(outcome.code, 1);
      assert.ok(outcome.stderr.startsWith(`Error: lmthing has no npm package for this system (${system})\n`), outcome.stderr);
      assert.match(outcome.stderr, /cargo install lmthing/);
    }
  });

  test('recognises musl by the loader of Node, and Windows by its name', async () => {
    const musl = join(folderOf({ node: '\x7fELF /lib/ld-musl-x86_64.so.1' }), 'node');
    const set = (...pairs) => pairs.map(([name, value]) => `Object.defineProperty(process, '${name}', { value: '${value}' });`).join('');
    const preloads = folderOf({ 'musl.cjs': set(['execPath', musl]), 'windows.cjs': set(['platform', 'win32']) });
    const onMusl = await runProgram('node', ['--require', join(preloads, 'musl.cjs'), launcher]);
    assert.match(onMusl.stderr, /the package lmthing-linux-x64-musl, .*\(linux x64, musl\)/);
    const folder = folderOf({ 'node_modules/lmthing-win32-x64/bin/lmthing.exe': '', 'node_modules/lmthing-win32-x64/package.json': '{}' });
    unpackInto(folder, packages, ['lmthing']);
    const find = 'console.log(require("./node_modules/lmthing/binary.js").findBinary())';
    const onWindows = await runProgram('node', ['--require', join(preloads, 'windows.cjs'), '-e', find], { cwd: folder });
    assert.match(onWindows.stdout, /lmthing-win32-x64\/bin\/lmthing\.exe\n$/, onWindows.stderr);
  });

  test('says why a binary does not start', async () => {
    const outcome = await runProgram(launcherOf('', 0o644), []);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /^Error: cannot start .*\/lmthing-linux-x64\/bin\/lmthing: .*EACCES/);
  });
});
