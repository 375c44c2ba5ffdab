// about: a typed array without memory
// expect: contained

const buffer: any = new ArrayBuffer(8);
const view = new Uint8Array(buffer);
buffer.transfer?.();
return await echo({ view, other: new DataView(new ArrayBuffer(2)) });
