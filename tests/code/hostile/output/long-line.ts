// about: one very long line
// expect: contained

console.log('x'.repeat(30_000_000));
return 'printed';
