// Writes the declarations of the language: `writeLibrary(root, file)`. The crate tsr_bundled has them, and can hold them itself:
// 606 KB with their comments, beside five times as much about browsers. These are 153 KB, compressed 21 KB. `code/library.rs`
// reads them: the length of the table, the table (a file's name and length a line), and the compressed texts.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { fileOfCrate } from './crates.mjs';
import { withoutComments } from './declarations.mjs';

/** What browsers and others offer, and what the engine lacks. */
const LEFT_OUT = /^lib\.(dom|esnext\.temporal|esnext\.date|esnext\.intl|scripthost|webworker)\./;

export function writeLibrary(root, file) {
  const folder = fileOfCrate(root, 'tsr_bundled', 'bundled/libs');
  const names = readdirSync(folder).filter((name) => name.endsWith('.d.ts') && !LEFT_OUT.test(name)).sort();
  const texts = names.map((name) => textOf(readFileSync(`${folder}/${name}`, 'utf8')));
  const table = Buffer.from(names.map((name, i) => `${name} ${Buffer.byteLength(texts[i])}\n`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  writeFileSync(file, Buffer.concat([length, table, deflateRawSync(texts.join(''), { level: 9 })]));
}

/** Comments that say which other files belong to one stay. */
const textOf = (text) => [...text.matchAll(/^\/\/\/ <reference .*$/gm)].map(([line]) => `${line}\n`).join('') + withoutComments(text);
