// about: all calls at once
// expect: contained

const all = Array.from({ length: 20000 }, () => tick({ id: 'x' }).then(() => 1, () => 0));
return (await Promise.all(all)).reduce((a: number, b) => a + b, 0);
