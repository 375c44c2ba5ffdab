// about: code that stops in the middle
// expect: refused

const a = { b: [1, 2
