// `ref` and `unref` of servers and sockets.
import { createLoopHandle } from 'lmthing:internal/native/alive';

const KEEP = Symbol('keep');

/** Starts inactive. */
export function initializeKeeper(owner) {
  owner[KEEP] = createLoopHandle();
}

/** Sets whether `owner` is active; unless unreferenced, it then keeps the program alive. */
export function keepAlive(owner, isActive) {
  owner[KEEP].setActive(isActive);
}

export const keepMethods = {
  ref() {
    this[KEEP].setReferenced(true);
    return this;
  },
  unref() {
    this[KEEP].setReferenced(false);
    return this;
  },
};
