// about: change what the bridge and the result use
// expect: ok
// value: {"r":{"a":[1,2]},"map":{"k":1}}

const g: any = globalThis;
g.JSON.stringify = () => '"forged"';
g.JSON.parse = () => 'forged';
g.Object.keys = () => ['forged'];
g.Array.from = () => ['forged'];
g.Map.prototype.entries = () => [['forged', 1]];
g.String.prototype.toWellFormed = () => 'forged';
g.Symbol.iterator;
const r = await echo({ a: [1, 2] });
return { r, map: new Map([['k', 1]]) };
