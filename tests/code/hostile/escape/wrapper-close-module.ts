// about: close the engine’s own wrapper
// expect: refused

return 1;
};
export const more = 1;
async () => {
