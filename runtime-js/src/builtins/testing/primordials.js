// Array functions saved before any test runs: a test that replaces `Array.prototype.push` must not affect the others.
const { bind, call } = Function.prototype;
/** Turns a method into a function that takes its receiver first. */
const uncurried = bind.bind(call);

const array = Array.prototype;
export const every = uncurried(array.every);
export const filter = uncurried(array.filter);
export const flatMap = uncurried(array.flatMap);
export const forEach = uncurried(array.forEach);
export const join = uncurried(array.join);
export const map = uncurried(array.map);
export const push = uncurried(array.push);
export const reversed = ((slice, reverse) => (items) => reverse(slice(items)))(uncurried(array.slice), uncurried(array.reverse));
export const some = uncurried(array.some);
export const splice = uncurried(array.splice);
