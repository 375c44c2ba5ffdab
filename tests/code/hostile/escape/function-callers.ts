// about: walk the stack upwards
// expect: ok
// value: "nothing"

const found: string[] = [];
const look = (name: string, make: () => any): void => {
  try {
    const value: unknown = make();
    if (value !== undefined && value !== null && value !== '') found.push('BRE' + 'ACH ' + name);
  } catch {
    // refused
  }
};
const f: any = function (this: any) { return f.caller; };
look('caller', () => f());
look('arguments', () => { const h: any = function () { return h.arguments; }; return h(); });
look('callee', () => { const h: any = function () { return arguments.callee; }; return h(); });
look('host caller', () => (add as any).caller);
look('host arguments', () => (add as any).arguments);
look('this', () => (function (this: any) { return this; } as any)());
return found.length === 0 ? 'nothing' : found.join();
