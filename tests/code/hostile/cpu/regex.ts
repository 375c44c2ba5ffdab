// about: a regular expression that backtracks for ever
// expect: error

return /^(a+)+$/.test('a'.repeat(40) + 'b');
