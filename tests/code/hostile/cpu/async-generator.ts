// about: an endless async generator
// expect: error

async function* all() { for (let i = 0; ; i++) yield i; }
let n = 0;
for await (const i of all()) n = i;
return n;
