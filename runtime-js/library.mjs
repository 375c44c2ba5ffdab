// Writes the declarations of the language: `writeLibrary(root, file)`. They come from the crate tsr_bundled, which
// could include them itself: 606 KB with comments, besides five times as much for browsers. These are 153 KB,
// compressed 21 KB. `code/library.rs` reads them: length of the table, table (name and length of a file per line),
// compressed texts.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { fileOfCrate } from './crates.mjs';
import { withoutComments } from './declarations.mjs';

/** Browser types, and features that QuickJS lacks. */
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

/** Keeps the comments that reference other files. */
const textOf = (text) => [...text.matchAll(/^\/\/\/ <reference .*$/gm)].map(([line]) => `${line}\n`).join('') + withoutComments(text);
