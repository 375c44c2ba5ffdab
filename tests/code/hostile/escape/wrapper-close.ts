// about: close the function and go on outside
// expect: refused

return 1;
});
(globalThis as any).outside = true;
(async () => {
