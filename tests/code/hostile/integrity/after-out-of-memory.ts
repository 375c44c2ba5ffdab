// about: a good program after one without memory
// expect: ok
// value: 42

const all: unknown[] = [];
for (;;) all.push(new Array(1000).fill(0));
// --- next ---
return (await add({ a: 20, b: 22 })).sum;
