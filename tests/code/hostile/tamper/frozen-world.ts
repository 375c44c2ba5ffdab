// about: freeze everything the bridge may write to
// expect: ok
// value: [3,"as planned"]

const g: any = globalThis;
for (const o of [g, Object.prototype, Array.prototype, Function.prototype, Promise.prototype, Error.prototype, add, console]) Object.freeze(o);
const r = await add({ a: 1, b: 2 });
try { await fail({ msg: 'as planned' }); } catch (e: any) { return [r.sum, e.message]; }
return 'not thrown';
