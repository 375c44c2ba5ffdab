// The clock that stands in for the real one, if one does.

/** It, with `tick(milliseconds)`. */
export const fakeClock = () => globalThis.setTimeout.clock;
