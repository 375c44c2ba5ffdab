// about: recurse through built-in functions
// expect: error

const f = (n: number): number => [n].map(() => f(n + 1))[0] as number;
return f(0);
