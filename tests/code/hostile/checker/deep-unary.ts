// about: very many signs
// expect: contained

const x: any = %%REPEAT(60000,"- ")%%1;
return x;
