// about: a function called with new
// expect: error

return new (add as any)({ a: 1, b: 1 });
