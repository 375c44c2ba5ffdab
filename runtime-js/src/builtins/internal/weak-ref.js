// `WeakRef` as specified: creating or dereferencing one keeps its target alive until the end of the job. QuickJS counts
// references and would free the target immediately.
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
