// about: one very long string
// expect: error

return 'x'.repeat(2 ** 29).length;
