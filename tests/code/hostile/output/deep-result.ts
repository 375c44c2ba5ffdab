// about: a result that is too deep
// expect: error

let o: any = {};
for (let i = 0; i < 5000; i++) o = { o };
return o;
