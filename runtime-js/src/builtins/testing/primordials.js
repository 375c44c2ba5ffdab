// What the runner needs of arrays, as it is before any test runs: one that replaces `Array.prototype.push`, and leaves it so, must not
// make its neighbours pass.
const { bind, call } = Function.prototype;
/** A method as a function that takes what it works on first. */
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
