// about: more arguments than one
// expect: ok
// value: 1

return await (echo as any)(1, 2, 3);
