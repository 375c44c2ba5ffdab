// about: conditions within conditions
// expect: contained

const x: any = %%REPEAT(20000,"1 ? 2 : ")%%3;
return x;
