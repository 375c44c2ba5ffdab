// about: a good program after one that was killed
// expect: ok
// value: 42

for (;;) { /* spin */ }
// --- next ---
return (await add({ a: 20, b: 22 })).sum;
