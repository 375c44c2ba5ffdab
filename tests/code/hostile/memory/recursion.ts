// about: recurse without end
// expect: error

const f = (n: number): number => f(n + 1) + 1;
return f(0);
