// Whether a server or a connection keeps the program alive.
import { keeper } from 'lmthing:internal/native/alive';

const KEEP = Symbol('keep');

/** Begins with nothing that keeps the program alive. */
export function initializeKeeper(owner) {
  owner[KEEP] = keeper();
}

/** Says whether there is something to wait for; it counts unless `unref` was called. */
export function keepAlive(owner, isActive) {
  owner[KEEP].setActive(isActive);
}

/** The methods `ref` and `unref`. */
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
