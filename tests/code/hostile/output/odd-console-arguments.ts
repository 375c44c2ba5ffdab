// about: print what cannot be read
// expect: contained

const bad: any = new Proxy({}, { get() { throw new Error('no'); }, ownKeys() { throw new Error('no'); } });
console.log(bad, Symbol('s'), () => 1, 10n, undefined, null, NaN, -0, new Error('e'), new Map([[{}, 1]]), [bad]);
console.log();
return 'printed';
