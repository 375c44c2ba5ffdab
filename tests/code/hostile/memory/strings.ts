// about: double a string
// expect: error

let s = 'x';
for (;;) s += s;
