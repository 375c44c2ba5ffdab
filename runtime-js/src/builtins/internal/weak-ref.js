// `WeakRef` as the specification has it: who made a reference, or looked through it, finds its target for the rest of the job.
// The engine counts references and would free the target at once.
import { NativeWeakRef } from 'lmthing:internal/bootstrap';
import { brand } from '../shared/brand.js';

const kept = new Set();
const { setImmediate } = globalThis;

function keep(target) {
  if (target === undefined) return target;
  if (kept.size === 0) setImmediate(() => kept.clear()).unref();
  kept.add(target);
  return target;
}

const { deref } = NativeWeakRef.prototype;

export class WeakRef {
  constructor(target) {
    const reference = Reflect.construct(NativeWeakRef, [target], new.target);
    keep(target);
    return reference;
  }

  deref() {
    return keep(deref.call(this));
  }
}
brand(WeakRef, 'WeakRef');
