// `node:inspector`: importable, but not supported.
import { refused } from '../shared/refused-module.js';

const { console } = globalThis;
const inspector = { ...refused('inspector', ['open', 'close', 'waitForDebugger', 'Session']), url: () => undefined, console };
export const { open, close, waitForDebugger, Session, url } = inspector;
export { console };
export default inspector;
