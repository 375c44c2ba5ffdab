// about: a chain of closures
// expect: error

let f = (): number => 0;
for (;;) { const g = f; f = () => g() + 1; }
