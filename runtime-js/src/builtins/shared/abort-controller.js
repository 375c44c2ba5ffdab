// What npm's `abort-controller` would be: the globals are there already.
export const { AbortController, AbortSignal } = globalThis;
