// about: allocate buffers
// expect: error

const all: ArrayBuffer[] = [];
for (;;) all.push(new ArrayBuffer(1 << 20));
