// about: spin while the error is described
// expect: error

throw Object.defineProperty(new Error('x'), 'message', { get() { for (;;) { /* spin */ } } });
