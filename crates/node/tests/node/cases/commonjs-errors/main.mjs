// Failures of `require`, and where stacks point.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const here = new URL('.', import.meta.url).pathname.slice(0, -1);
const show = (name, value) => console.log(name, JSON.stringify(value)?.replaceAll(here, 'HERE'));
const fails = (what) => { try { return ['no error', what()]; } catch (error) { return error; } };

let error = fails(() => require('./lib/missing.cjs'));
show('missing', [error.code, error.message, error.requireStack]);
error = fails(() => require('no-such-package'));
show('no package', [error.code, error.message.split('\n')[0]]);
error = fails(() => require('./lib/asks.cjs'));
show('asked by another', [error.code, error.message.split('\n').slice(0, 3), error.requireStack.length]);
for (const id of [undefined, 5, '', {}]) { error = fails(() => require(id)); show('id', [error.name, error.code, error.message]); }
error = fails(() => require('./lib/throws.cjs'));
show('position', [error.message, /([^/]+:\d+):\d+/.exec(error.stack.split('\n')[1])[1]]);
show('not in the cache', Object.keys(require.cache).filter((key) => key.endsWith('throws.cjs')));
error = fails(() => require('./lib/late-error.cjs').run());
show('later', error.stack.split('\n').slice(1, 3).map((line) => /([^/]+:\d+):\d+/.exec(line)[1]));
error = fails(() => require('./lib/bad.json'));
show('json', [error.name, error.message.startsWith(`${here}/lib/bad.json: `)]);
error = fails(() => require('./lib/syntax.cjs'));
show('syntax', error.name);
error = fails(() => require('./lib/awaits.mjs'));
show('awaits', [error.code]);
show('createRequire', fails(() => createRequire('relative')).code);
