exports.late = async () => [(await import('./es.mjs')).named, (await import('./a.cjs')).default.late];
