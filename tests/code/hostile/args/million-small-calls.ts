// about: more calls than allowed
// expect: contained

let done = 0;
try { for (;;) { await tick({ id: 'x' }); done++; } } catch (e: any) { return [done <= 10000, e.message.includes('10000')]; }
