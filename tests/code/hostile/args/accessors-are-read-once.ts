// about: getters become values
// expect: ok
// value: [1,1]

let reads = 0;
const r: any = await echo({ get x() { reads++; return reads; } });
return [r.x, reads];
