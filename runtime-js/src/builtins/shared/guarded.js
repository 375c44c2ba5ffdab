// Events told from async code: what a listener throws is the program's uncaught exception, not the rejection of a promise
// that nobody sees.

/** Runs what calls listeners; what they throw is thrown again where nothing is in between. Whether they got through. */
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
