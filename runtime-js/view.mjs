// Writes the page of `lmthing view` without its run: `writeView(file)`. The script and the style of `view/` stand in it whole,
// and its policy names their hashes, so that a browser runs nothing else. Compressed; `trace/page` fills in the two places
// `@TITLE@` and `@EVENTS@`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';

const PACKAGES = ['preact', '@tanstack/virtual-core', 'diff'];
const inView = (name) => fileURLToPath(new URL(`view/${name}`, import.meta.url));

export async function writeView(file) {
  writeFileSync(file, deflateRawSync(await viewPage(), { level: 9 }));
}

/** The text of the page, with the places for title and events. */
export async function viewPage() {
  const [script, style] = await Promise.all([bundled('main.jsx'), bundled('style.css')]);
  // What would end them early, or be taken for a place to fill in.
  const wrong = /<\/(script|style)|<!--|@[A-Z]+@/i.exec(script + style);
  if (wrong) throw new Error(`the script or the style of the page has ${wrong[0]} in it`);
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const parts = { POLICY: policy.join('; '), NOTICES: notices(), STYLE: style, SCRIPT: script };
  const page = readFileSync(inView('page.html'), 'utf8').replace(/\r\n/g, '\n');
  return page.replace(/@(POLICY|NOTICES|STYLE|SCRIPT)@/g, (_, name) => parts[name]);
}

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [inView(entry)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // For names of the packages' own modes.
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Whose code stands in the page; their licences ask for it to be said. */
function notices() {
  const lines = PACKAGES.map((name) => {
    const folder = new URL(`node_modules/${name}/`, import.meta.url);
    const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
    const [copyright] = /^Copyright .*$/m.exec(readFileSync(new URL('LICENSE', folder), 'utf8')) ?? [''];
    return `${name} ${version}, ${license}. ${copyright}`.trim();
  });
  return `The page has in it: ${lines.join('; ')}`.replaceAll('--', '- ');
}
