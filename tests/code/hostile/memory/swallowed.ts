// about: catch what happens when memory ends
// expect: contained

const all: unknown[] = [];
for (let tries = 0; tries < 1000; tries++) { try { for (;;) all.push(new Array(10000).fill(0)); } catch { all.length = 0; } }
return 'swallowed';
