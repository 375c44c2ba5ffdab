// about: an array with a length and nothing in it
// expect: contained

const sparse: any[] = [];
sparse.length = 2 ** 32 - 1;
return await echo(sparse).then(() => 'sent', (e: any) => e.message);
