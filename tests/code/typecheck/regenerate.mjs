// Writes verdicts.json: what the real TypeScript compiler says about every snippet of snippets.txt.
//
//     node tests/code/typecheck/regenerate.mjs            write
//     node tests/code/typecheck/regenerate.mjs --check    compare only; exits with 1 when the file is not up to date
//
// The compiler is the `typescript` package (a dev dependency of runtime-js; TSC_FOLDER names another node_modules).

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.TSC_FOLDER ?? join(here, '../../../runtime-js/node_modules');
const compiler = join(modules, 'typescript/bin/tsc');
const consoleType = 'log info warn error debug'.split(' ').map((name) => `${name}(...data: any[]): void;`).join(' ');

const snippets = readFileSync(join(here, 'snippets.txt'), 'utf8')
  .split(/^\/\/\/\/ /m)
  .slice(1)
  .map((part) => ({ name: part.slice(0, part.indexOf('\n')), code: part.slice(part.indexOf('\n') + 1).trimEnd() }));

const folder = mkdtempSync(join(tmpdir(), 'typecheck-'));
const file = (index) => `snippet${index}.ts`;

// The body of an async function, as the sandbox wraps it: one line ahead of the code.
snippets.forEach(({ code }, index) => writeFileSync(join(folder, file(index)), `(async () => {\n${code}\n});\n`));
writeFileSync(join(folder, 'console.d.ts'), `declare const console: { ${consoleType} };\n`);
writeFileSync(join(folder, 'functions.d.ts'), readFileSync(join(here, 'functions.d.ts')));

function compile(indexes) {
  const compilerOptions = { strict: true, target: 'es2022', lib: ['es2022'], noEmit: true, types: [], skipLibCheck: true };
  const files = ['console.d.ts', 'functions.d.ts', ...indexes.map(file)];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error) throw error;
  const found = new Map();
  for (const [, index, line, code] of stdout.matchAll(/snippet(\d+)\.ts\((\d+),\d+\): error TS(\d+)/g)) {
    const lines = snippets[index].code.split('\n').length;
    const at = Math.min(Math.max(Number(line) - 1, 1), lines);
    found.set(Number(index), [...(found.get(Number(index)) ?? []), [at, Number(code)]]);
  }
  return found;
}

// With a syntax error anywhere, the compiler prints syntax errors alone: the rest is compiled without those snippets.
const all = snippets.map((_, index) => index);
const syntax = compile(all);
const onlySyntax = [...syntax.values()].flat().every(([, code]) => code < 2000);
const rest = onlySyntax ? compile(all.filter((index) => !syntax.has(index))) : new Map();
rmSync(folder, { recursive: true });

const verdicts = Object.fromEntries(snippets.map(({ name }, index) => [name, syntax.get(index) ?? rest.get(index) ?? []]));
const lines = Object.entries(verdicts).map(([name, errors]) => `  ${JSON.stringify(name)}: ${JSON.stringify(errors)}`);
const text = `{\n${lines.join(',\n')}\n}\n`;
const target = join(here, 'verdicts.json');
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('verdicts.json is not what the compiler says now: run node tests/code/typecheck/regenerate.mjs');
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}
console.log(`${snippets.length} snippets, ${Object.values(verdicts).filter((errors) => errors.length > 0).length} with errors`);
