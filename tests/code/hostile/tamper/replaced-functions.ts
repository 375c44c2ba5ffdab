// about: a function replaced in one call is whole in the next
// expect: ok
// value: [2,6]

const g: any = globalThis;
g.add = async () => ({ sum: 'forged' });
g.math.mul = async () => ({ product: 'forged' });
g.console.log = () => 'forged';
return (await g.add()).sum;
// --- next ---
console.log('still here');
return [(await add({ a: 1, b: 1 })).sum, (await math.mul({ a: 2, b: 3 })).product];
