// about: a promise as argument
// expect: ok
// value: true

try { await echo({ p: Promise.resolve(1) }); return 'sent'; } catch (e: any) { return e.message.includes('await'); }
