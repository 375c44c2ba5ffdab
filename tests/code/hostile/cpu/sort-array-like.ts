// about: sort something endless
// expect: contained

return (Array.prototype.sort.call({ length: 2 ** 32, 0: 2, 1: 1 } as any) as any).length;
