// about: the module the code lives in
// expect: contained

const m: any = (import.meta as any);
return Object.keys(m).length;
