// about: odd bindings of the wrapper
// expect: contained

const o = { m() { return (Object.getPrototypeOf(this) as any) === Object.prototype; } };
return o.m();
