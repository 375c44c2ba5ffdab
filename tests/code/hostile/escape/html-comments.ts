// about: old comment forms parsers disagree about
// expect: contained

const a: any = 1;
const b: any = 2;
const c = a <!--b
;
return c;
