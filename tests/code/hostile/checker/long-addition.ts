// about: a sum of very many terms
// expect: contained

const x: any = 0%%REPEAT(60000," + 1")%%;
return typeof x;
