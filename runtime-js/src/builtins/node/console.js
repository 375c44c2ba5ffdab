// `node:console`: the global `console` with its functions as named exports, and the class `Console`.
import { Console } from '../console/console.js';

const { console } = globalThis;

export const { assert, clear, count, countReset, debug, dir, dirxml, error, group, groupCollapsed, groupEnd, info, log, profile, profileEnd, table, time, timeEnd, timeLog, timeStamp, trace, warn } = console;
export { Console };
export default console;
