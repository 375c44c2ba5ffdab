// about: export something
// expect: refused

export const x = 1;
return x;
