// about: calls side by side
// expect: ok
// value: [2,6,true]

const [a, b, c] = await Promise.all([add({ a: 1, b: 1 }), math.mul({ a: 2, b: 3 }), pause({ turns: 1 })]);
return [a.sum, b.product, c.ok];
