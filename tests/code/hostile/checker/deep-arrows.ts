// about: functions within functions
// expect: contained

const f: any = %%REPEAT(5000,"(x: any) => ")%%1;
return typeof f;
