// about: the language of ES2022
// expect: ok
// value: [2,1,{"b":2,"c":3},5,true,7,["1","2"],true,"bXb","rejected"]

const list = [3, 1, 2];
const { a = 1, ...rest } = { b: 2, c: 3 } as { a?: number; b: number; c: number };
class K { static #n = 0; static { K.#n = 5; } static has(o: object): boolean { return #m in o; } #m = 1; static get n(): number { return K.#n; } }
let x: number | null = null;
x ??= 7;
const m = [...'a1b2'.matchAll(/\d/g)].map((found) => found[0]);
return [list.at(-1), a, rest, K.n, K.has(new K()), x, m, Object.hasOwn({ q: 1 }, 'q'), 'aXa'.replaceAll('a', 'b'), (await Promise.allSettled([Promise.reject(1)]))[0].status];
