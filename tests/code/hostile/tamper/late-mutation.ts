// about: arguments are read at the call
// expect: ok
// value: 2

const args = { a: 1, b: 1 };
const sum = add(args);
args.a = 100;
return (await sum).sum;
