// about: search long in long
// expect: contained

const hay = 'a'.repeat(8_000_000);
const needle = 'a'.repeat(4_000_000) + 'b';
let n = 0;
for (let i = 0; i < 1e6; i++) n += hay.indexOf(needle);
return n;
