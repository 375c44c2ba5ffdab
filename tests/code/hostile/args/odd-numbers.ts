// about: numbers JSON does not have
// expect: ok
// value: [null,null,null,0,null,5e-324,1.7976931348623157e308,9007199254740992,0.30000000000000004]

return await echo([NaN, Infinity, -Infinity, -0, 1e400, 5e-324, 1.7976931348623157e308, 2 ** 53, 0.1 + 0.2]);
