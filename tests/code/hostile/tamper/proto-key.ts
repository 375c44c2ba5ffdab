// about: a key that changes prototypes
// expect: ok
// value: [true,["__proto__","constructor"]]

const r = await echo(JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'));
return [({} as any).polluted === undefined, Object.keys(r).sort()];
