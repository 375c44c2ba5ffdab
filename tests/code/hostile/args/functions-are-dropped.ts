// about: functions never leave
// expect: ok
// value: {"keep":1,"list":[null,2]}

return await echo({ f() { return 1; }, g: () => 1, k: class {}, keep: 1, list: [() => 1, 2] });
