// about: spin in toJSON
// expect: error

return { toJSON() { for (;;) { /* spin */ } } };
