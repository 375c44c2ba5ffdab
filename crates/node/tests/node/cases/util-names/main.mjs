// util: MIME types, errors of the system, old tests, names and arguments.
import util, { inspect, parseArgs, types } from "node:util";

const t = (name, fn) => {
  const told = (error) => [error?.name, error?.code, error?.message];
  const say = (value) => console.log(`${name}:`, typeof value === "string" ? value : JSON.stringify(value, (_, x) => (typeof x === "bigint" ? `${x}n` : x)));
  let value;
  try {
    value = fn();
  } catch (error) {
    return say(told(error));
  }
  return typeof value?.then === "function" ? value.then(say, (error) => say(told(error))) : say(value);
};
t('mime', () => {
  const type = new util.MIMEType('text/HTML; charset=utf-8; q="a b"; charset=x');
  type.params.set('x', '1"2');
  type.subtype = 'Plain';
  return [type.type, type.essence, [...type.params], String(type), type.toJSON(), type.params.has('q'), type.params.get('none')];
});
t('mime wrong', () => new util.MIMEType('nope'));
t('mime token', () => (new util.MIMEType('a/b').type = 'a b'));
t('errors', () => [util.getSystemErrorName(-2), util.getSystemErrorMap().get(-13), util.getSystemErrorName(-99999)]);
t('error number', () => util.getSystemErrorName(5));
t('env', () => util.parseEnv('A=1\n# c\nB="x y"\nexport C=\'q\'\nD=a#b'));
t('old', () => [util.isString('x'), util.isPrimitive({}), util.isRegExp(/x/), util.isError(new Error()), util._extend({ a: 1 }, { b: 2 })]);
t('negative', () => parseArgs({ args: ['-f', '--no-color', 'pos'], options: { foo: { type: 'boolean', short: 'f' }, color: { type: 'boolean' } }, allowPositionals: true, allowNegative: true }));
t('option type', () => parseArgs({ args: [], options: { a: { type: 'nope' } } }));
t('option default', () => parseArgs({ args: [], options: { a: { type: 'string', default: 5 } } }));
t('option short', () => parseArgs({ args: [], options: { a: { type: 'string', short: 'xx' } } }));
t('arguments', () => parseArgs({ args: 'x' }));
t('callbackify', () => {
  const { name, length } = util.callbackify(async function load(path) {});
  return [name, length];
});
t('callback', () => util.callbackify(async () => 1)());
t('inherits', () => util.inherits(5, 6));
t('proxy', () => [types.isProxy(new Proxy({}, {})), types.isProxy({})]);
console.log(inspect({ async *generate() {}, *each() {}, async wait() {} }));
class Named extends Error {
  constructor(message) {
    super(message);
    Error.captureStackTrace(this, Named);
    this.name = 'Named';
  }
}
t('stack', () => new Named('late').stack.split('\n')[0]);
