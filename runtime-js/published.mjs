// Copies what the build scripts have made into `crates/*/dist`, so that the packages of these crates build without Node:
//
//   cargo build -p lmthing-data -p lmthing-runtime --message-format json | node published.mjs
//
// cargo's messages name the folders where the build scripts of this build have worked.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const crates = fileURLToPath(new URL('../crates', import.meta.url));
const builtins = new URL('builtins.json', import.meta.url);

/** What each package needs, below the folder of its build script. */
const FILES = {
  data: ['locales.bin', 'prices.bin', 'library.bin'],
  runtime: [
    'runtime-js/builtins.json',
    'bundles/declarations.bin',
    'bundles/view.bin',
    'bundles/eval.bin',
    ...Object.keys(JSON.parse(readFileSync(builtins, 'utf8'))).map((_, index) => `bundles/${index}.js`),
  ],
};

const messages = readFileSync(0, 'utf8').split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
for (const [name, files] of Object.entries(FILES)) {
  const isMade = ({ reason, package_id: id }) => reason === 'build-script-executed' && id.includes(`/crates/${name}#`);
  const made = messages.find(isMade)?.out_dir;
  if (!made) throw new Error(`cargo has not run the build script of crates/${name}`);
  const dist = join(crates, name, 'dist');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  files.forEach((file) => copyFileSync(join(made, file), join(dist, basename(file))));
}
