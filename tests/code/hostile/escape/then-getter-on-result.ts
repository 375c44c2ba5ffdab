// about: catch values on their way through promises
// expect: contained

const seen: unknown[] = [];
Object.defineProperty(Object.prototype, 'then', { get(this: any) { seen.push(typeof this); return undefined; }, configurable: true });
const r: any = await echo({ x: 1 });
return { x: r.x, seen: seen.length > 0 };
