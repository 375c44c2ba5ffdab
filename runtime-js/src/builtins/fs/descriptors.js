// Operations on file descriptors.
import { decodeUtf8 } from 'lmthing:internal/native/encoding';
import { drawStderr, drawStdout } from 'lmthing:internal/native/console';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { dataBytes, descriptorOf, flagsOf, lengthOf, milliseconds, modeOf, optionsOf, ownerOf, pathText } from './arguments.js';
import { BigIntStats, Stats } from './entries.js';
import { call } from './run.js';

/** Standard streams are written through the host, which buffers other output to them. */
const PRINTERS = { 1: drawStdout, 2: drawStderr };

const printPlan = (fd, bytes, value) => ({
  perform: () => {
    PRINTERS[fd](decodeUtf8(bytes));
    return { value };
  },
  finish: (result) => result,
});

export const readAllPlan = (fd, finish, isText) => call(isText ? 'readAllText' : 'readAll', [descriptorOf(fd)], { syscall: 'read' }, finish);
export const writeAllPlan = (fd, bytes) => (fd in PRINTERS ? printPlan(fd, bytes) : call('writeAll', [descriptorOf(fd), bytes], { syscall: 'write' }));

const openPlan = (syscall, operation, ...values) => call(operation, values, { syscall });

/** By function name, as `plans` in `operations.js`. */
export const descriptorPlans = {
  open(file, flags, mode) {
    const path = pathText(file);
    return call('open', [path, flagsOf(flags), modeOf(mode, 0o666)], { syscall: 'open', path });
  },
  close: (fd) => openPlan('close', 'close', descriptorOf(fd)),
  fstat(fd, options) {
    const { bigint } = optionsOf(options);
    return call('statOpen', [descriptorOf(fd)], { syscall: 'fstat' }, (numbers) => (bigint ? new BigIntStats(numbers) : new Stats(numbers)));
  },
  ftruncate: (fd, length) => openPlan('ftruncate', 'truncateOpen', descriptorOf(fd), lengthOf(length)),
  fsync: (fd) => openPlan('fsync', 'sync', descriptorOf(fd), false),
  fdatasync: (fd) => openPlan('fdatasync', 'sync', descriptorOf(fd), true),
  fchmod: (fd, mode) => openPlan('fchmod', 'changeModeOpen', descriptorOf(fd), modeOf(mode)),
  fchown: (fd, user, group) => openPlan('fchown', 'changeOwnerOpen', descriptorOf(fd), ownerOf(user, 'uid'), ownerOf(group, 'gid')),
  futimes: (fd, accessed, modified) => openPlan('futime', 'setTimesOpen', descriptorOf(fd), milliseconds(accessed), milliseconds(modified)),
};

function positionOf(position) {
  if (position === undefined || position === null || position === -1 || position === -1n) return null;
  if (typeof position === 'bigint') return Number(position);
  if (typeof position !== 'number') throw invalidArgumentType('position', 'of type number or bigint', position);
  if (!Number.isInteger(position)) throw outOfRange('position', 'an integer', position);
  return position < 0 ? null : position;
}

/** The part of a buffer to read into or write; defaults to the rest. */
function partOf(view, offset, length) {
  const from = offset ?? 0;
  if (typeof from !== 'number') throw invalidArgumentType('offset', 'of type number', offset);
  if (!Number.isInteger(from)) throw outOfRange('offset', 'an integer', offset);
  if (from < 0 || from > view.byteLength) throw outOfRange('offset', `>= 0 && <= ${view.byteLength}`, offset);
  const count = length ?? view.byteLength - from;
  if (typeof count !== 'number') throw invalidArgumentType('length', 'of type number', length);
  if (count < 0 || count > view.byteLength - from) throw outOfRange('length', `>= 0 && <= ${view.byteLength - from}`, length);
  return asBytes(view).subarray(from, from + count);
}

function checkedView(value) {
  if (ArrayBuffer.isView(value)) return value;
  throw invalidArgumentType('buffer', 'an instance of Buffer, TypedArray, or DataView', value);
}

/** `read(fd, buffer, offset, length, position)`, or with options in place of these; returns the buffer and the plan. */
export function readPlan(fd, ...values) {
  let [buffer, offset, length, position] = values;
  if (!ArrayBuffer.isView(buffer)) {
    if (buffer !== undefined && (typeof buffer !== 'object' || buffer === null)) checkedView(buffer);
    ({ buffer = globalThis.Buffer.alloc(16384), offset, length, position } = buffer ?? {});
  } else if (typeof offset === 'object' && offset !== null) ({ offset, length, position } = offset);
  const part = partOf(checkedView(buffer), offset, length);
  if (buffer.byteLength === 0 && length !== 0) {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'buffer' is empty and cannot be written. Received ${globalThis.Buffer.isBuffer(buffer) ? '<Buffer >' : `${buffer.constructor.name}(0) []`}`);
  }
  const plan = call('read', [descriptorOf(fd), part.byteLength, positionOf(position)], { syscall: 'read' }, (bytes) => {
    part.set(bytes);
    return bytes.byteLength;
  });
  return { buffer, plan };
}

/** `write(fd, buffer, offset, length, position)` or `write(fd, text, position, encoding)`. */
export function writePlan(fd, data, ...values) {
  const number = descriptorOf(fd);
  let [offset, length, position] = values;
  let bytes;
  if (typeof data === 'string') {
    // `write(fd, text, 'utf8')` writes at the current position in Node; some log libraries rely on it.
    position = typeof offset === 'string' ? null : offset;
    bytes = dataBytes(data, typeof length === 'string' ? length : 'utf8');
  } else {
    if (typeof offset === 'object' && offset !== null) ({ offset, length, position } = offset);
    if (!ArrayBuffer.isView(data)) throw invalidArgumentType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
    bytes = partOf(data, offset, length);
  }
  const plan = number in PRINTERS ? printPlan(number, bytes, bytes.byteLength) : call('write', [number, bytes, positionOf(position)], { syscall: 'write' });
  return { buffer: data, plan };
}

function checkedViews(buffers) {
  if (Array.isArray(buffers) && buffers.every((buffer) => ArrayBuffer.isView(buffer))) return buffers;
  throw invalidArgumentType('buffers', 'an instance of ArrayBufferView[]', buffers);
}

export function writevPlan(fd, buffers, position) {
  const whole = globalThis.Buffer.concat(checkedViews(buffers).map(asBytes));
  return { buffer: buffers, plan: writePlan(fd, whole, 0, whole.length, typeof position === 'number' ? position : null).plan };
}

export function readvPlan(fd, buffers, position) {
  const size = checkedViews(buffers).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const at = typeof position === 'number' ? position : null;
  const plan = call('read', [descriptorOf(fd), size, positionOf(at)], { syscall: 'read' }, (bytes) => {
    let offset = 0;
    for (const view of buffers) {
      asBytes(view).set(bytes.subarray(offset, offset + view.byteLength));
      offset += view.byteLength;
    }
    return bytes.byteLength;
  });
  return { buffer: buffers, plan };
}
