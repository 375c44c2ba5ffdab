// about: a call without argument
// expect: ok
// value: null

return await (echo as any)();
