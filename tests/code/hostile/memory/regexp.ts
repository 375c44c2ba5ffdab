// about: compile a very large expression
// expect: contained

return new RegExp('(' + 'a|'.repeat(200000) + 'b)').test('b');
