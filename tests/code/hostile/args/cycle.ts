// about: a cycle as argument
// expect: ok
// value: true

const o: any = { list: [] };
o.self = o;
try { await echo(o); return 'sent'; } catch (e: any) { return e.message.includes('cycle'); }
