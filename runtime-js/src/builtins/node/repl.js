// `node:repl`: in name only.
import { refused } from '../shared/refused-module.js';

const repl = refused('repl', ['start', 'REPLServer', 'Recoverable']);
export const { start, REPLServer, Recoverable } = repl;
export default repl;
