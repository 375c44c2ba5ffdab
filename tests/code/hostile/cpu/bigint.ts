// about: a number with very many digits
// expect: contained

let n = 3n;
for (;;) n = n * n;
