// about: compile a deeply nested expression
// expect: contained

return new RegExp('('.repeat(50000) + ')'.repeat(50000)).test('');
