import promises from 'node:readline/promises';
import { clearLine, clearScreenDown, cursorTo, moveCursor } from '../readline/cursor.js';
import { Interface } from '../readline/interface.js';
import { emitKeypressEvents } from '../readline/keys.js';

const createInterface = (...values) => new Interface(...values);

export { clearLine, clearScreenDown, createInterface, cursorTo, emitKeypressEvents, Interface, moveCursor, promises };
export default { clearLine, clearScreenDown, createInterface, cursorTo, emitKeypressEvents, Interface, moveCursor, promises };
