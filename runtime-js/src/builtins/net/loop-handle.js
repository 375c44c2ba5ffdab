// `ref` and `unref` of servers and sockets.
import { createLoopHandle } from 'lmthing:internal/native/alive';

const LOOP_HANDLE = Symbol('keep');

/** Starts inactive. */
export function initializeLoopHandle(owner) {
  owner[LOOP_HANDLE] = createLoopHandle();
}

/** Sets whether `owner` is active; unless unreferenced, it then keeps the program alive. */
export function setActive(owner, isActive) {
  owner[LOOP_HANDLE].setActive(isActive);
}

export const refMethods = {
  ref() {
    this[LOOP_HANDLE].setReferenced(true);
    return this;
  },
  unref() {
    this[LOOP_HANDLE].setReferenced(false);
    return this;
  },
};
