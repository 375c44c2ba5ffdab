// about: a promise that resolves to itself anew
// expect: error

const next = (): Promise<unknown> => Promise.resolve().then(next);
return await next();
