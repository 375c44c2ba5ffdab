// Finds and starts the binary, which is in the package of this system, an optional dependency.
'use strict';
const { spawn } = require('node:child_process');
const { closeSync, openSync, readSync } = require('node:fs');

const FILE = process.platform === 'win32' ? 'lmthing.exe' : 'lmthing';

/** The package and the name of the system that Node runs on. */
function thisSystem() {
  const { platform, arch } = process;
  const isMusl = platform === 'linux' && usesMusl();
  const libc = platform === 'linux' ? `, ${isMusl ? 'musl' : 'glibc'}` : '';
  return { name: ['lmthing', platform, arch, ...(isMusl ? ['musl'] : [])].join('-'), system: `${platform} ${arch}${libc}` };
}

/** Whether Node itself was linked with musl: the path of its loader stands at the beginning of the file. */
function usesMusl() {
  try {
    const file = openSync(process.execPath, 'r');
    const start = Buffer.alloc(2048);
    readSync(file, start, 0, start.length, 0);
    closeSync(file);
    return start.includes('/ld-musl-');
  } catch {
    return false;
  }
}

/** The path of the binary; throws an error that says what to do when its package is missing. */
function findBinary() {
  const { name, system } = thisSystem();
  try {
    return require.resolve(`${name}/bin/${FILE}`);
  } catch (error) {
    throw new Error(missing(name, system), { cause: error });
  }
}

function missing(name, system) {
  const { version, optionalDependencies } = require('./package.json');
  if (!(name in optionalDependencies)) {
    return `lmthing has no npm package for this system (${system})\n` +
      '  build it from source, with Rust: cargo install lmthing --locked --ignore-rust-version';
  }
  return `the package ${name}, which has lmthing for this system (${system}), is not installed\n` +
    `  it is an optional dependency of lmthing ${version}: install again without --omit=optional or --no-optional\n` +
    '  a lock file made on another system may lack it: delete node_modules and the lock file, and install again\n' +
    '  or build lmthing from source, with Rust: cargo install lmthing --locked --ignore-rust-version';
}

/** Starts the binary, which ends with this process, even when a signal ends this one without a chance to pass it on. */
function spawnBinary(binary, args, options) {
  return spawn(binary, args, { ...options, env: { ...process.env, LMTHING_PARENT_PID: String(process.pid) } });
}

function notStarted(binary, error) {
  return new Error(`cannot start ${binary}: ${error.message}`, { cause: error });
}

module.exports = { findBinary, notStarted, spawnBinary, thisSystem };
