// about: globals of the call before
// expect: ok
// value: false

(globalThis as any).left = 1;
(Array.prototype as any).left = 1;
return 'set';
// --- next ---
return 'left' in globalThis || 'left' in [];
