// What `require` gives, once and in circles, and what a module sees of itself.
import { createRequire, isBuiltin } from 'node:module';
import fs from 'node:fs';

const require = createRequire(import.meta.url);
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname.slice(0, -1);
const show = (name, value) => console.log(name, JSON.stringify(value)?.replaceAll(here, 'HERE'));

show('circle', require('./lib/a.cjs'));
show('self', require('./lib/self.cjs'));
show('same', require('./lib/self.cjs') === require(`${here}/lib/self.cjs`));
show('folder', [require('./lib/folder'), require('./lib')]);
show('json', [require('./lib/data.json'), require('./lib/data') === require('./lib/data.json')]);
show('built-in', [require('fs') === fs, require('node:path').basename('/a/b'), typeof require('buffer').Buffer.from]);
show('is built-in', ['fs', 'node:fs', 'fs/promises', './fs', 'zod-x'].map(isBuiltin));
show('resolve', [require.resolve('./lib/a.cjs'), require.resolve('fs'), require.resolve.paths('fs'), require.resolve.paths('./x')]);
show('resolve with paths', require.resolve('./a.cjs', { paths: [`${here}/lib`] }));
const key = require.resolve('./lib/self.cjs');
show('cache', [key in require.cache, require.cache[key].loaded, require.cache[key].children.length, require.cache[key].id]);
const before = require(key);
delete require.cache[key];
show('loaded again', require(key) === before);
require.cache[key].exports = 'replaced';
show('replaced', require(key));
show('module', require('./lib/es.mjs').named);
show('module with default', Object.entries(require('./lib/with-default.mjs')));
show('shebang', require('./lib/tool.cjs'));
show('sloppy', require('./lib/sloppy.cjs'));
show('main', [require.main === undefined, typeof require.extensions['.js']]);
const { late } = require('./lib/dynamic.cjs');
show('import()', await late());
