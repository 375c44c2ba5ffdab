// about: see every property the bridge makes
// expect: ok
// value: {"z":1,"sum":"inherited","seen":0}

const seen: string[] = [];
for (const key of ['sum', 'message', 'stack', 'a', 'resolve', 'id']) {
  Object.defineProperty(Object.prototype, key, { set(v) { seen.push(key + typeof v); }, get() { return 'inherited'; }, configurable: true });
}
const r: any = await echo({ z: 1 });
return { z: r.z, sum: r.sum, seen: seen.length };
