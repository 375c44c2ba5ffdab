// about: spin while the result is read
// expect: error

return [{ get x(): number { for (;;) { /* spin */ } } }];
