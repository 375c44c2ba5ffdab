// about: join something endless
// expect: error

const a: any[] = [];
a.length = 2 ** 32 - 1;
return a.join('').length;
