// The stack of errors that are frozen, or that something inherits from; waiting on shared memory.
import util from 'node:util';

class Frozen extends Error {
  constructor(text) {
    super(text);
    Error.captureStackTrace(this, Frozen);
    Object.freeze(this);
  }
}
const frozen = new Frozen('bad');
console.log(frozen.stack.split('\n')[0], frozen.stack === frozen.stack, String(frozen), util.inspect(frozen).split('\n')[0]);
try {
  frozen.stack = 'other';
} catch (error) {
  console.log(error.name);
}
class Late extends Error {
  constructor() {
    super('x');
    Error.captureStackTrace(this, Late);
  }
}
const heir = Object.create(new Late());
heir.stack = 'mine';
console.log(Object.hasOwn(heir, 'stack'), Object.getPrototypeOf(heir).stack === 'mine');
const late = new Late();
late.stack = undefined;
console.log(late.stack, Object.keys(late));
const shared = new Int32Array(new SharedArrayBuffer(8));
console.log(Atomics.wait(shared, 0, '0', 1), Atomics.wait(shared, 0, 1, 1), Atomics.wait.length);
