// Stands here until the half that expects things is in.
export const expect = (actual) => ({
  toBe(expected) {
    if (Object.is(actual, expected)) return;
    const error = new Error(`expected ${actual} to be ${expected}`);
    throw Object.assign(error, { name: 'AssertionError', actual, expected });
  },
});
export const vi = {};
export const fn = () => () => {};
export const beforeTest = () => {};
export const afterTest = () => [];
export const afterFile = () => ({ snapshots: {}, notes: [] });
export const describeDifference = () => undefined;
