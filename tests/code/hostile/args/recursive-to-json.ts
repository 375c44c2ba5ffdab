// about: toJSON that makes a new one for ever
// expect: contained

const make = (): any => ({ toJSON: () => make() });
return await echo(make()).then(() => 'sent', (e: any) => e.message);
