// about: a type that grows for ever
// expect: contained

type Grow<T extends unknown[]> = Grow<[...T, ...T, 1]>;
type Bomb = Grow<[1]>;
const x = null as unknown as Bomb;
return x === null;
