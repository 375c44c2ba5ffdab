// about: the first answer counts
// expect: ok
// value: "fast"

return await Promise.race([pause({ turns: 1 }).then(() => 'slow'), add({ a: 1, b: 1 }).then(() => 'fast')]);
