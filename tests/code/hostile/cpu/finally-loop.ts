// about: go on after the interruption
// expect: error

const spin = (): void => { try { for (;;) { /* spin */ } } finally { spin(); } };
spin();
