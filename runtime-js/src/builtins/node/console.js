// `node:console`: the global, with its functions as named exports.
import { notOffered } from '../shared/errors.js';

const { console } = globalThis;
export const Console = console.Console ?? notOffered('console.Console');
export const { assert, count, countReset, debug, dir, dirxml, error, group, groupCollapsed, groupEnd, info, log, table, time, timeEnd, timeLog, trace, warn } = console;
export default console;
