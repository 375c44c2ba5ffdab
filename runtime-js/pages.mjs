// Writes the page templates of `lmthing view` and `lmthing eval`: `writePages(folder)` makes `view.bin` and `eval.bin`. Each
// contains script and style of its folder in `pages/`, and a content security policy with their hashes, so that a browser
// runs nothing else. Compressed; `trace/page` of crates/store fills in `@TITLE@` and `@DATA@`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';

const PAGES = ['view', 'eval'];
const inPages = (name) => fileURLToPath(new URL(`pages/${name}`, import.meta.url));

export async function writePages(folder) {
  const write = async (name) => writeFileSync(join(folder, `${name}.bin`), deflateRawSync(await page(name), { level: 9 }));
  await Promise.all(PAGES.map(write));
}

/** Returns a page with its two placeholders. */
async function page(name) {
  const [{ text: script, packages }, { text: style }] = await Promise.all([bundled(`${name}/main.jsx`), bundled(`${name}/style.css`)]);
  // Text that would end these elements early, or look like a placeholder.
  const wrong = /<\/(script|style)|<!--|@[A-Z]+@/i.exec(script + style);
  if (wrong) throw new Error(`the script or the style of the page ${name} has ${wrong[0]} in it`);
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const parts = { POLICY: policy.join('; '), NOTICES: notices(packages), STYLE: style, SCRIPT: script };
  const template = readFileSync(inPages('page.html'), 'utf8').replace(/\r\n/g, '\n');
  return template.replace(/@(POLICY|NOTICES|STYLE|SCRIPT)@/g, (_, part) => parts[part]);
}

/** The code of an entry, and the packages that it has in it. */
async function bundled(entry) {
  const { outputFiles, metafile } = await build({
    entryPoints: [inPages(entry)],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'iife',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Some packages select a mode by it.
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
  });
  // In a script it occurs in literals only, where the escape is the same character: in HTML it would begin a comment.
  const text = outputFiles[0].text.trim().replaceAll('<!--', '\\x3c!--');
  return { text, packages: packagesIn(metafile) };
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function packagesIn({ outputs }) {
  const inputs = Object.entries(Object.values(outputs)[0].inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const names = inputs.map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

/** License notices of packages. */
function notices(packages) {
  const lines = packages.map((name) => {
    const folder = new URL(`node_modules/${name}/`, import.meta.url);
    const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
    const [copyright] = /^Copyright .*$/m.exec(readFileSync(new URL('LICENSE', folder), 'utf8')) ?? [''];
    return `${name} ${version}, ${license}. ${copyright}`.trim();
  });
  return `The page has in it: ${lines.join('; ')}`.replaceAll('--', '- ');
}
