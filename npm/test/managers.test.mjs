// The packages installed by npm, pnpm, Yarn and Bun, from a registry on this machine: without scripts, with a lock file
// that another system made, and without optional dependencies.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startRegistry } from './registry.mjs';
import { VERSION, folderOf, packagesOfAllSystems, runProgram } from './support.mjs';

const installed = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
// The one for this system.
const [bun] = readdirSync(installed('@oven'));
const BUN = installed(`@oven/${bun}/bin/bun`);
const YARN = installed('yarn/bin/yarn.js');
const BERRY = installed('@yarnpkg/cli-dist/bin/yarn.js');
const ON_MAC = ['--os=darwin', '--cpu=arm64'];
/** Node programs that believe this system to be another one. */
const AS_MAC = { NODE_OPTIONS: `--require ${join(folderOf({ 'mac.cjs': `Object.defineProperty(process, 'platform', { value: 'darwin' });` }), 'mac.cjs')}` };

/**
 * Arguments of each manager: `lock` writes the lock file of another system, `frozen` installs what it says, `omit` installs
 * without optional dependencies, `exec` runs a binary of a package, `node` a script that plain Node would not run.
 */
const MANAGERS = {
  npm: {
    program: ['npm'],
    add: ['install', '--save-dev', '--ignore-scripts', '--no-audit', '--no-fund', 'lmthing'],
    lock: ['install', '--package-lock-only', '--no-audit', '--no-fund', ...ON_MAC],
    frozen: ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    omit: ['install', '--omit=optional', '--no-audit', '--no-fund'],
    exec: ['exec', '--'],
  },
  pnpm: {
    program: ['node', installed('pnpm/bin/pnpm.cjs')],
    add: ['add', '--save-dev', '--ignore-scripts', 'lmthing'],
    lock: ['install', '--lockfile-only', ...ON_MAC],
    frozen: ['install', '--frozen-lockfile', '--ignore-scripts'],
    omit: ['install', '--no-optional'],
    exec: ['exec'],
  },
  'Yarn 1': {
    program: ['node', YARN],
    add: ['add', '--dev', '--ignore-scripts', 'lmthing'],
    lock: ['install'],
    lockEnvironment: AS_MAC,
    frozen: ['install', '--frozen-lockfile', '--ignore-scripts'],
    omit: ['install', '--ignore-optional'],
    exec: ['--silent', 'run'],
  },
  'Yarn with Plug’n’Play': {
    program: ['node', BERRY],
    settings: 'nodeLinker: pnp',
    add: ['add', '--dev', 'lmthing'],
    lock: ['install', '--mode=update-lockfile'],
    frozen: ['install', '--immutable'],
    exec: ['run'],
    node: ['node'],
  },
  'Yarn with node_modules': {
    program: ['node', BERRY],
    settings: 'nodeLinker: node-modules',
    add: ['add', '--dev', 'lmthing'],
    lock: ['install', '--mode=update-lockfile'],
    frozen: ['install', '--immutable'],
    exec: ['run'],
  },
  Bun: {
    program: [BUN],
    add: ['add', '--dev', '--ignore-scripts', 'lmthing'],
    lock: ['install', '--lockfile-only', ...ON_MAC],
    frozen: ['install', '--frozen-lockfile', '--ignore-scripts'],
    omit: ['install', '--omit=optional'],
    exec: ['run'],
    node: ['run'],
  },
};

const registry = await startRegistry(packagesOfAllSystems());
after(registry.close);

const PROMPT = `export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello' }];
export default async ({ $ }) => { $\`go\`; };
`;
const CLIENT = `import { run } from 'lmthing';
const { text } = await run('p.lmt.mjs');
console.log('client: ' + text);
`;

/** An empty project with a function that runs its package manager. */
function project({ program, settings = '' }, dependencies) {
  const folder = folderOf({
    'package.json': JSON.stringify({ name: 'app', private: true, type: 'module', devDependencies: dependencies }),
    '.npmrc': `registry=${registry.url}\n`,
    '.yarnrc.yml': `npmRegistryServer: "${registry.url}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nenableTelemetry: false\nenableScripts: false\nenableGlobalCache: false\n${settings}\n`,
    'yarn.lock': '',
    'p.lmt.mjs': PROMPT,
    'client.mjs': CLIENT,
  });
  // Caches of its own; Yarn refuses to change a lock file where CI is set.
  const home = folderOf();
  const own = { HOME: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home, BUN_INSTALL_CACHE_DIR: join(home, 'bun'), CI: '' };
  const [command, ...first] = program;
  const manage = (args, environment = {}) =>
    runProgram(command, [...first, ...args], { cwd: folder, env: { ...process.env, ...own, ...environment } });
  return { folder, manage };
}

async function succeeds(promise) {
  const outcome = await promise;
  assert.equal(outcome.code, 0, `${outcome.stdout}\n${outcome.stderr}`);
  return outcome.stdout;
}

describe('the packages', { concurrency: 2 }, () => {
  for (const [name, manager] of Object.entries(MANAGERS)) {
    test(`${name} installs lmthing without scripts`, async () => {
      const { folder, manage } = project(manager);
      await succeeds(manage(manager.add));
      assert.match(await succeeds(manage([...manager.exec, 'lmthing', 'run', 'p.lmt.mjs'])), /^Hello$/m);
      const failed = await manage([...manager.exec, 'lmthing', 'run', 'missing.lmt.mjs']);
      assert.equal(failed.code, 1);
      const client = manager.node ? manage([...manager.node, 'client.mjs']) : runProgram('node', ['client.mjs'], { cwd: folder });
      assert.match(await succeeds(client), /client: Hello/);
    });

    test(`${name} installs lmthing from the lock file of another system`, async () => {
      const { folder, manage } = project(manager, { lmthing: VERSION });
      await succeeds(manage(manager.lock, manager.lockEnvironment));
      for (const left of ['node_modules', '.yarn', '.pnp.cjs']) rmSync(join(folder, left), { recursive: true, force: true });
      await succeeds(manage(manager.frozen));
      assert.match(await succeeds(manage([...manager.exec, 'lmthing', 'run', 'p.lmt.mjs'])), /^Hello$/m);
    });

    if (!manager.omit) continue;
    test(`${name} without optional dependencies`, async () => {
      const { folder, manage } = project(manager, { lmthing: VERSION });
      await succeeds(manage(manager.omit));
      assert.ok(existsSync(join(folder, 'node_modules/lmthing/package.json')), String(readdirSync(folder)));
      const outcome = await manage([...manager.exec, 'lmthing', 'run', 'p.lmt.mjs']);
      assert.equal(outcome.code, 1);
      assert.match(outcome.stderr, /the package lmthing-linux-x64, .*is not installed/);
    });
  }
});
