// about: a long chain of prototypes
// expect: contained

let o: any = {};
for (let i = 0; i < 100000; i++) o = Object.create(o);
return o.missing === undefined;
