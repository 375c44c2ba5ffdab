// Terminal control sequences that move the cursor, as Node writes them.
import process from 'lmthing:internal/process';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const CSI = '\x1b[';
export const SEQUENCES = { lineLeft: `${CSI}1K`, lineRight: `${CSI}0K`, line: `${CSI}2K`, screenDown: `${CSI}0J` };

export function checkCallback(callback) {
  if (callback !== undefined && typeof callback !== 'function') throw invalidArgumentType('callback', 'of type function', callback);
}

function write(stream, text, callback) {
  checkCallback(callback);
  if (stream === null || stream === undefined || text === '') {
    if (callback) process.nextTick(callback, null);
    return true;
  }
  return stream.write(text, callback);
}

export function cursorText(x, y) {
  if (Number.isNaN(x)) throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'x' is invalid. Received NaN");
  if (Number.isNaN(y)) throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'y' is invalid. Received NaN");
  if (typeof x !== 'number' && typeof y !== 'number') return '';
  if (typeof x !== 'number') throw nodeError(TypeError, 'ERR_INVALID_CURSOR_POS', 'Cannot set cursor row without setting its column');
  return typeof y === 'number' ? `${CSI}${y + 1};${x + 1}H` : `${CSI}${x + 1}G`;
}

export function moveText(dx, dy) {
  const right = dx < 0 ? `${CSI}${-dx}D` : dx > 0 ? `${CSI}${dx}C` : '';
  return right + (dy < 0 ? `${CSI}${-dy}A` : dy > 0 ? `${CSI}${dy}B` : '');
}

export const lineText = (direction) => (direction < 0 ? SEQUENCES.lineLeft : direction > 0 ? SEQUENCES.lineRight : SEQUENCES.line);

export function cursorTo(stream, x, y, callback) {
  if (typeof y === 'function') [y, callback] = [undefined, y];
  checkCallback(callback);
  return write(stream, cursorText(x, y), callback);
}

export const moveCursor = (stream, dx, dy, callback) => write(stream, moveText(dx, dy), callback);
export const clearLine = (stream, direction, callback) => write(stream, lineText(direction), callback);
export const clearScreenDown = (stream, callback) => write(stream, SEQUENCES.screenDown, callback);
