// about: a stack that points elsewhere
// expect: error

const e: any = new Error('x');
e.stack = 'at code.ts:99999999999999999999:1 code.ts:4294967295:4294967295 code.ts:0:0 code.ts:';
throw e;
