// Replaces npm's `abort-controller` by the globals.
export const { AbortController, AbortSignal } = globalThis;
