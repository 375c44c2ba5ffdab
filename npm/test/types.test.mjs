// The types of the packages: prompt files are clean under TypeScript in a project that has nothing but lmthing, and with
// declarations of its own; the client has types; mistakes are found.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BINARY, ROOT, builtPackages, folderOf, runProgram, unpackInto } from './support.mjs';

const modules = join(ROOT, 'runtime-js/node_modules');
const SETTINGS = {
  allowJs: true, checkJs: true, strict: true, noImplicitAny: false, useUnknownInCatchVariables: false, noEmit: true,
  skipLibCheck: false, target: 'esnext', module: 'preserve', resolveJsonModule: true, allowImportingTsExtensions: true,
};

const MODULES = `import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import * as v4 from 'zod/v4';
import { de } from 'zod/locales';
import lmthing, { runPrompt } from 'lmthing';
import { detectCycles } from 'lmthing/plugins';
import { judge } from 'lmthing/eval';
export const input = z.object({ city: z.string(), days: v4.number() });
/** @type {import('lmthing').PromptFunction<typeof input>} */
export default async ({ def, defTool, $ }, { city, days }) => {
  def('A', city.toUpperCase() + days.toFixed() + (await readFile('x', 'utf8')).trim() + process.env.HOME?.trim());
  defTool('a', 'b', z.object({ n: z.number() }), ({ n }) => n.toFixed() + Buffer.from('x').toString('hex'));
  console.log((await (await fetch('http://x')).json()).any, new URL('http://x').host, setTimeout(() => {}), de().localeError);
  $\`\${[detectCycles([]), runPrompt, lmthing.runPrompt, judge]}\`;
};
`;
const WRONG = `import { z } from 'zod';
/** @type {import('lmthing').PromptFunction} */
export default async ({ defTool, defStaet, $ }) => {
  defTool('a', 'b', z.object({ n: z.number() }), ({ n }) => n.length);
  process.env.X?.toFixed();
};
`;
const CLIENT = `import { run, stream, AbortError, RunError, type RunEvent } from 'lmthing/client';
const signal: AbortSignal = AbortSignal.timeout(1000);
const onEvent = (event: RunEvent) => event.type === 'step-finish' && event.usage.inputTokens;
const { output, cost } = await run<{ celsius: number }>('x', { input: {}, model: 'm', limits: { time: '9s' }, signal, onEvent });
[output?.celsius.toFixed(), cost?.toFixed()];
for await (const event of stream(new URL('file:///x'))) if (event.type === 'text-delta') event.delta.trim();
try { } catch (error) {
  if (error instanceof AbortError) error.code === 'ABORT_ERR';
  else if (error instanceof RunError) [error.kind === 'limit', error.result?.error?.line];
}
// @ts-expect-error
run('x', { limits: { step: 1 } });
`;

/** A project with the examples, a file of each template and the sources above. */
async function project() {
  const folder = folderOf({ 'modules.lmt.mjs': MODULES, 'common.lmt.js': MODULES, 'client.mts': CLIENT });
  for (const name of readdirSync(join(ROOT, 'examples')).filter((name) => name.includes('.lmt.'))) {
    cpSync(join(ROOT, 'examples', name), join(folder, 'examples', name));
  }
  for (const template of ['hello', 'tools', 'agent', 'code', 'tasks', 'typed']) {
    for (const [language, flags] of [['js', []], ['ts', ['--ts']]]) {
      const made = await runProgram(BINARY, ['new', '-t', template, ...flags, `${language}/${template}`], { cwd: folder });
      assert.equal(made.code, 0, made.stderr);
    }
  }
  unpackInto(folder, builtPackages(), ['lmthing']);
  return folder;
}

async function complaints(folder, settings, include = ['**/*.lmt.*', 'client.mts']) {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...SETTINGS, ...settings }, include }));
  const tsc = [join(modules, 'typescript/bin/tsc'), '-p', '.', '--pretty', 'false'];
  const { code, stdout, stderr } = await runProgram('node', tsc, { cwd: folder });
  assert.ok(code === 0 || stdout, stderr);
  return stdout;
}

describe('the types', async () => {
  const folder = await project();

  for (const [name, settings] of [
    ['by default', {}],
    ['without the types of browsers', { lib: ['esnext'] }],
    ['as Node resolves', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ]) {
    test(`are clean ${name}`, async () => {
      assert.equal(await complaints(folder, settings), '');
    });
  }

  test('reach files that do not name lmthing by a setting', async () => {
    const [, example] = /```js\n(\/\/ hello\.lmt\.mjs\n[^]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'));
    writeFileSync(join(folder, 'readme.mjs'), example);
    assert.equal(await complaints(folder, { types: ['lmthing'], lib: ['esnext'] }, ['readme.mjs']), '');
  });

  test('find mistakes', async () => {
    writeFileSync(join(folder, 'wrong.mjs'), WRONG);
    const found = await complaints(folder, {}, ['wrong.mjs']);
    assert.deepEqual([...found.matchAll(/^wrong\.mjs\((\d+)/gm)].map(([, line]) => line), ['3', '4', '5'], found);
  });

  test('leave zod and Node to the packages of the project', async () => {
    for (const name of ['@types/node', 'undici-types']) cpSync(join(modules, name), join(folder, 'node_modules', name), { recursive: true });
    assert.equal(await complaints(folder, { types: ['node'], lib: ['esnext'] }), '');
    const own = { 'package.json': '{ "name": "zod", "types": "index.d.ts" }', 'index.d.ts': 'export declare const theirs: 1;\n' };
    for (const [file, text] of Object.entries(own)) {
      const path = folderOf({ [file]: text });
      cpSync(path, join(folder, 'node_modules/zod'), { recursive: true });
    }
    writeFileSync(join(folder, 'own.lmt.mjs'), `import { theirs } from 'zod';\n/** @type {import('lmthing').PromptFunction} */\nexport default () => theirs;\n`);
    assert.equal(await complaints(folder, { types: ['node'] }, ['own.lmt.mjs']), '');
    rmSync(join(folder, 'node_modules/zod'), { recursive: true });
  });
});
