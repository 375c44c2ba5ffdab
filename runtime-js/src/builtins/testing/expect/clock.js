/** The installed fake clock, with `tick(milliseconds)`. */
export const fakeClock = () => globalThis.setTimeout.clock;
