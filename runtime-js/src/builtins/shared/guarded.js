// Events emitted from async code: an exception of a listener must be uncaught instead of an unhandled rejection.

/** Calls `run`, rethrows its exceptions in a separate task; returns whether it succeeded. */
export function guarded(run) {
  try {
    run();
    return true;
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
    return false;
  }
}
