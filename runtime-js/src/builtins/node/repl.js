// `node:repl`: importable, but not supported.
import { refused } from '../shared/refused-module.js';

const repl = refused('repl', ['start', 'REPLServer', 'Recoverable']);
export const { start, REPLServer, Recoverable } = repl;
export default repl;
