// about: reach through symbols
// expect: ok
// value: "nothing"

const found: string[] = [];
const look = (name: string, make: () => any): void => {
  try {
    const value: unknown = make();
    if (value !== undefined && value !== null && value !== '') found.push('BRE' + 'ACH ' + name);
  } catch {
    // refused
  }
};
for (const f of [add, math.mul, console.log] as any[]) {
  for (const key of Reflect.ownKeys(f)) {
    look('own ' + String(key), () => (typeof f[key] === 'function' ? f[key].constructor('return 1')() : ''));
  }
  look('prototype', () => Object.getPrototypeOf(Object.getPrototypeOf(f)).constructor.constructor('return 1')());
}
return found.length === 0 ? 'nothing' : found.join();
