// about: inference that doubles
// expect: contained

const pair = <A,>(a: A): [A, A] => [a, a];
const x = pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(pair(1))))))))))))))))))))));
const y: typeof x = x;
return y.length;
