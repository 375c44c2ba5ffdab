// about: replace what the bridge may use
// expect: contained

const g: any = globalThis;
const stolen: unknown[] = [];
g.Promise = class { constructor(run: any) { stolen.push(run); } };
g.Object.defineProperty(Array.prototype, '0', { set(value) { stolen.push(value); }, configurable: true });
const original = Function.prototype.call;
g.Function.prototype.call = function (this: any, ...data: any[]) { stolen.push(data); return original.apply(this, data as any); };
const sum: any = await add({ a: 1, b: 2 });
return { sum: sum.sum };
