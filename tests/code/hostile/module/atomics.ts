// about: block the thread
// expect: contained

const g: any = globalThis;
const shared: any = g.SharedArrayBuffer ? new g.SharedArrayBuffer(4) : new ArrayBuffer(4);
return g.Atomics.wait(new Int32Array(shared), 0, 0, 1e9);
