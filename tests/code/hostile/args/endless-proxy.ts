// about: a proxy with endless depth
// expect: contained

const endless: any = new Proxy({}, { get: (_, key) => (key === 'toJSON' ? undefined : endless), ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) });
return await echo(endless).then(() => 'sent', (e: any) => e.message);
