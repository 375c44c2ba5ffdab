// about: wait for nothing
// expect: error

await new Promise<void>(() => { /* never */ });
