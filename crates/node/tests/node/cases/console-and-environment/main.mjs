// Consoles of the program's own; objects that inherit from the environment; constants by name; options that negate.
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { O_RDONLY, SIGINT, ENOENT, RTLD_LAZY } from 'node:constants';
import constants from 'node:constants';
import { setInterval as every } from 'node:timers/promises';
import url from 'node:url';
import util from 'node:util';

const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
process.on('uncaughtException', (error) => console.log('uncaught', error.message));
const sink = () => new Writable({ write(chunk, _, done) { this.text = (this.text ?? '') + chunk; done(); } });
const stdout = sink();
for (const groupIndentation of [-1, 1001, 1.5, '2', 4]) console.log(fails(() => typeof new Console({ stdout, groupIndentation })));
console.log(fails(() => new Console({ stdout, colorMode: true, inspectOptions: { colors: true } })));
Console(stdout).log('without new');
const own = new Console(stdout);
console.log(stdout.text, own instanceof Console, console instanceof Console, {} instanceof Console, Object.prototype.toString.call(own), Object.keys(own).includes('log'));
own.assert(false, { a: 1 });
class My extends Console {
  log(...values) {
    super.log('my', ...values);
  }
}
const mine = new My(stdout);
mine.log(1);
mine.info(2);
console.log(stdout.text.split('\n').slice(-4), mine instanceof My);
const failing = new Writable({ write(_chunk, _, done) { setImmediate(() => done(new Error('later'))); } });
const quiet = new Console(failing);
quiet.log('x');
quiet.log('y');
await new Promise((resolve) => setTimeout(resolve, 30));

const heir = Object.create(process.env);
heir.ONLY_HERE = '1';
console.log(process.env.ONLY_HERE, Object.keys(heir), Reflect.set(process.env, 'NOT_THERE', 'v', {}), process.env.NOT_THERE);
process.env.NUMBER = 5;
console.log(process.env.NUMBER, fails(() => Object.preventExtensions(process.env))[0]);
console.log(O_RDONLY, SIGINT, ENOENT, RTLD_LAZY, constants.SIGINT === SIGINT);

const options = { verbose: { type: 'boolean', multiple: true }, color: { type: 'boolean' }, name: { type: 'string', multiple: true } };
for (const args of [['--verbose', '--verbose'], ['--verbose', '--no-verbose'], ['--no-color', '--color'], ['--color', '--no-color'], ['--name', 'a', '--name=b']]) {
  console.log({ ...util.parseArgs({ args, options, allowNegative: true }).values });
}
console.log(util.types.isKeyObject({ [Symbol.toStringTag]: 'KeyObject' }), fails(() => util.transferableAbortSignal(5))[1], await util.aborted(5, {}).catch((error) => error.code));
for (const value of [{ protocol: 'file', pathname: '/x' }, 'file:///x', { protocol: 'file:', host: 'h', pathname: 'a' }]) console.log(url.format(value));
for (const from of ['../a', './a', 'a', 'a/b', 'a/b/', '../../a/b', '.', '..', 'a?q', 'a#h', './a/../b', '', 'a/./b']) {
  console.log(from, ...['b', '../b', './b', '..', '.', '?x', '#y', '../../b?q#h', '../c/../d', ''].map((to) => url.resolve(from, to)));
}
for (const values of [['x'], [1, 1, { ref: 5 }], [1, 1, { signal: 5 }]]) console.log(await every(...values).next().catch((error) => [error.code, error.message]));
