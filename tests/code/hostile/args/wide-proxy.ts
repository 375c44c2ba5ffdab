// about: a proxy with a million keys
// expect: contained

const keys = Array.from({ length: 200000 }, (_, i) => 'key' + i);
const wide: any = new Proxy({}, { get: (_, key) => (key === 'toJSON' ? undefined : 1), ownKeys: () => keys, getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) });
return await echo(wide).then(() => 'sent', (e: any) => e.message);
