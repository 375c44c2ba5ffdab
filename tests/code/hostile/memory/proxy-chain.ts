// about: a long chain of proxies
// expect: contained

let o: any = {};
for (let i = 0; i < 200000; i++) o = new Proxy(o, {});
return o.x === undefined;
