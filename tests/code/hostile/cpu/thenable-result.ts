// about: return something that never resolves
// expect: error

return { then(): void { /* never */ } };
