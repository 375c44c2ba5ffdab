// about: spread something endless
// expect: error

const endless = { *[Symbol.iterator]() { for (;;) yield 1; } };
return [...endless].length;
