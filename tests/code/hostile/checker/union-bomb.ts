// about: a type with very many members
// expect: contained

type D = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
type N = `${D}${D}${D}${D}${D}`;
const n: N = '00000';
return n;
