// about: print a number with very many digits
// expect: contained

return String(2n ** 4_000_000n).length;
