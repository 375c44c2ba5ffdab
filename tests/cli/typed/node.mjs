import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'fs/promises';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';

const response = await fetch('https://example.org');
(await response.json()).anything;
readFileSync(new URL('./a.txt', import.meta.url), 'utf8').trim();
readFileSync('a').trim(); //~ TS2339
(await readFile('a', 'utf8')).trim();
path.jion('a', 'b'); //~ TS2339
createHash('sha256').update('a').digest('hex').trim();
(await promisify(execFile)('ls', ['-l'])).stdout.trim();
await once(new EventEmitter(), 'end');
process.env.HOME?.trim();
setTimeout(() => {}, 1).unref();
new WebAssembly.Module(new Uint8Array());
import.meta.dirname.trim();
