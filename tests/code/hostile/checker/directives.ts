// about: comments that silence the checker
// expect: ok
// value: 3

// @ts-nocheck
// @ts-ignore
const n: number = (globalThis as any).missing ?? 3;
return n;
