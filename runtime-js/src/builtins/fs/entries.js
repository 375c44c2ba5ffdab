// `fs.Stats` and `fs.Dirent`.
import { constants } from './constants.js';

const FIELDS = ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks'];
const TIMES = ['atime', 'mtime', 'ctime', 'birthtime'];
const KIND_TESTS = { isDirectory: 'DIR', isFile: 'REG', isBlockDevice: 'BLK', isCharacterDevice: 'CHR', isSymbolicLink: 'LNK', isFIFO: 'IFO', isSocket: 'SOCK' };

class StatsBase {}
for (const [method, kind] of Object.entries(KIND_TESTS)) {
  StatsBase.prototype[method] = function () {
    return (Number(this.mode) & constants.S_IFMT) === constants[`S_IF${kind}`];
  };
  Object.defineProperty(StatsBase.prototype, method, { enumerable: false });
}

/** Seconds and nanoseconds of the time at `index`. */
const timeAt = (numbers, index) => numbers.slice(FIELDS.length + 2 * index, FIELDS.length + 2 * index + 2);

export class Stats extends StatsBase {
  /** `numbers` are in the order of `src/script/globals/fs/attributes.rs`. */
  constructor(numbers) {
    super();
    FIELDS.forEach((name, index) => (this[name] = numbers[index]));
    TIMES.forEach((name, index) => {
      const [seconds, nanoseconds] = timeAt(numbers, index);
      this[`${name}Ms`] = seconds * 1e3 + nanoseconds / 1e6;
    });
    TIMES.forEach((name) => (this[name] = new Date(Math.round(this[`${name}Ms`]))));
  }
}

export class BigIntStats extends StatsBase {
  constructor(numbers) {
    super();
    FIELDS.forEach((name, index) => (this[name] = BigInt(numbers[index])));
    const times = TIMES.map((_, index) => timeAt(numbers, index).map(BigInt)).map(([seconds, nanoseconds]) => seconds * 1000000000n + nanoseconds);
    TIMES.forEach((name, index) => (this[`${name}Ms`] = times[index] / 1000000n));
    TIMES.forEach((name, index) => (this[`${name}Ns`] = times[index]));
    TIMES.forEach((name) => (this[name] = new Date(Number(this[`${name}Ms`]))));
  }
}

const FILE_SYSTEM_FIELDS = ['type', 'bsize', 'blocks', 'bfree', 'bavail', 'files', 'ffree'];

export class StatFs {
  constructor(numbers, asBigInt) {
    FILE_SYSTEM_FIELDS.forEach((name, index) => (this[name] = asBigInt ? BigInt(numbers[index]) : numbers[index]));
  }
}

const KIND = Symbol('type');
const DIRENT_TESTS = { isDirectory: 'DIR', isFile: 'FILE', isBlockDevice: 'BLOCK', isCharacterDevice: 'CHAR', isSymbolicLink: 'LINK', isFIFO: 'FIFO', isSocket: 'SOCKET' };

export class Dirent {
  constructor(name, path, kind) {
    this.name = name;
    this.parentPath = path;
    this.path = path;
    this[KIND] = kind;
  }
}
for (const [method, kind] of Object.entries(DIRENT_TESTS)) {
  const wanted = constants[`UV_DIRENT_${kind}`];
  Object.defineProperty(Dirent.prototype, method, {
    value() {
      return this[KIND] === wanted;
    },
    writable: true,
    configurable: true,
  });
}
