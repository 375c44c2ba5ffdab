// about: types within types
// expect: contained

type T = %%REPEAT(900,"Array<")%%number%%REPEAT(900,">")%%;
const x = null as unknown as T;
return x === null;
