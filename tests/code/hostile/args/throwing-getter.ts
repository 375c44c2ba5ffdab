// about: a getter that throws
// expect: ok
// value: [true,"mine"]

try { await echo({ get x() { throw new RangeError('mine'); } }); return 'sent'; } catch (e: any) { return [e instanceof RangeError, e.message]; }
