// The version of the npm packages, and the systems that have one with the binary, by Rust's target triples.
import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../Cargo.toml', import.meta.url), 'utf8');
export const VERSION = /^\[workspace\.package\]\nversion = "([^"]+)"/m.exec(manifest)[1];

const TRIPLES = {
  'aarch64-apple-darwin': { os: 'darwin', cpu: 'arm64' },
  'aarch64-unknown-linux-gnu': { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'aarch64-unknown-linux-musl': { os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { os: 'darwin', cpu: 'x64' },
  'x86_64-pc-windows-msvc': { os: 'win32', cpu: 'x64' },
  'x86_64-unknown-linux-gnu': { os: 'linux', cpu: 'x64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { os: 'linux', cpu: 'x64', libc: 'musl' },
};

/** Each system with the name of its package, as `package/binary.js` makes it. */
export const SYSTEMS = Object.entries(TRIPLES).map(([triple, system]) => {
  const name = ['lmthing', system.os, system.cpu, ...(system.libc === 'musl' ? ['musl'] : [])].join('-');
  return { triple, name, ...system };
});
