// about: a returned value is a copy
// expect: ok
// value: [3,"user"]

const first: any = await getState({});
first.items.length = 0;
first.nested.role = 'admin';
const second: any = await getState({});
return [second.items.length, second.nested.role];
