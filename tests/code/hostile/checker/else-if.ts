// about: very many branches
// expect: contained

const n: number = 5;
if (n === -1) return 0;%%REPEAT(5000," else if (n === -2) return 1;")%%
return 2;
