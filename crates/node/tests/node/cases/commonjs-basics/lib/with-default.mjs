export default 'd'; export const n = 1;
