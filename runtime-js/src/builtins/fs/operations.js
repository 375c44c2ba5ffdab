// The table of path operations: for each its native function, arguments and result conversion. The blocking, callback
// and promise variants are made from it.
import { dataBytes, decoded, flagsOf, isUtf8, lengthOf, milliseconds, modeOf, optionsOf, ownerOf, pathText } from './arguments.js';
import { constants } from './constants.js';
import { readAllPlan, writeAllPlan } from './descriptors.js';
import { BigIntStats, Dirent, StatFs, Stats } from './entries.js';
import { call, runSync } from './run.js';

/** The descriptor of a file given as a number or `FileHandle`; undefined for a path. */
const numberOf = (file) => (typeof file === 'number' ? file : typeof file?.fd === 'number' && typeof file.readFile === 'function' ? file.fd : undefined);

function writePlan(file, data, options, fallback) {
  const { encoding, mode, flag } = optionsOf(options, { encoding: 'utf8' });
  const bytes = dataBytes(data, encoding);
  const number = numberOf(file);
  if (number !== undefined) return writeAllPlan(number, bytes);
  const path = pathText(file);
  return call('writeFile', [path, bytes, flagsOf(flag, fallback), modeOf(mode, 0o666)], { syscall: 'open', path });
}

function statPlan(file, options, follow) {
  const path = pathText(file);
  const { bigint, throwIfNoEntry = true } = optionsOf(options);
  const plan = call('stat', [path, follow], { syscall: follow ? 'stat' : 'lstat', path }, (numbers) =>
    bigint ? new BigIntStats(numbers) : new Stats(numbers),
  );
  if (!throwIfNoEntry) plan.recover = { ENOENT: undefined, ENOTDIR: undefined };
  return plan;
}

const plainPlan = (operation, syscall) => (file) => call(operation, [pathText(file)], { syscall, path: pathText(file) });

function twoPathPlan(operation, syscall, names, ...more) {
  return (from, to) => {
    const [path, dest] = [pathText(from, names[0]), pathText(to, names[1])];
    return call(operation, [path, dest, ...more], { syscall, path, dest });
  };
}

const textOf = (encoding) => (text) => (encoding === 'buffer' ? globalThis.Buffer.from(text) : text);
const below = (directory, name) => (directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`);

/** Node's resolver checks each part of a path; its error names the first missing one. */
function failingPart(path) {
  const exists = (part) => runSync(call('stat', [part, false], {}, () => true)) === true;
  return {
    syscall: 'lstat',
    get path() {
      const parts = (path.startsWith('/') ? path : `${process.cwd()}/${path}`).split('/');
      for (let count = 2; count < parts.length; count++) {
        const part = parts.slice(0, count).join('/');
        try {
          exists(part);
        } catch {
          return part;
        }
      }
      return parts.join('/');
    },
  };
}

function ownerPlan(syscall, follow) {
  return (file, user, group) => {
    const path = pathText(file);
    return call('changeOwner', [path, ownerOf(user, 'uid'), ownerOf(group, 'gid'), follow], { syscall, path });
  };
}

function timesPlan(syscall, follow) {
  return (file, accessed, modified) => {
    const path = pathText(file);
    return call('setTimes', [path, milliseconds(accessed), milliseconds(modified), follow], { syscall, path });
  };
}

/** By function name; each takes the function's arguments without a callback. */
export const plans = {
  readFile(file, options) {
    const { encoding, flag } = optionsOf(options);
    const finish = (bytes) => decoded(bytes, encoding);
    // Text is passed as a string: converting it to bytes here would hold a large file in memory twice.
    const isText = Boolean(encoding) && isUtf8(encoding);
    const number = numberOf(file);
    if (number !== undefined) return readAllPlan(number, finish, isText);
    const path = pathText(file);
    return call(isText ? 'readFileText' : 'readFile', [path, flagsOf(flag)], { syscall: 'open', path, reads: true }, finish);
  },
  writeFile: (file, data, options) => writePlan(file, data, options, 'w'),
  appendFile: (file, data, options) => writePlan(file, data, options, 'a'),
  stat: (file, options) => statPlan(file, options, true),
  lstat: (file, options) => statPlan(file, options, false),
  statfs(file, options) {
    const { bigint = false } = optionsOf(options);
    return call('fileSystem', [pathText(file)], { syscall: 'statfs', path: pathText(file) }, (numbers) => new StatFs(numbers, bigint));
  },
  access(file, mode = constants.F_OK) {
    return call('access', [pathText(file), mode ?? constants.F_OK], { syscall: 'access', path: pathText(file) });
  },
  readdir(directory, options) {
    const { withFileTypes = false, recursive = false, encoding } = optionsOf(options);
    const path = pathText(directory);
    return call('readDirectory', [path, Boolean(recursive)], { syscall: 'scandir', path }, (entries) =>
      entries.map(([parent, name, kind]) => {
        if (withFileTypes) return new Dirent(textOf(encoding)(name), parent === '' ? path : below(path, parent), kind);
        return textOf(encoding)(parent === '' ? name : `${parent}/${name}`);
      }),
    );
  },
  mkdir(directory, options) {
    const { recursive = false, mode } = typeof options === 'object' ? optionsOf(options) : { mode: options };
    const path = pathText(directory);
    return call('makeDirectory', [path, Boolean(recursive), modeOf(mode, 0o777)], { syscall: 'mkdir', path }, (first) => first ?? undefined);
  },
  mkdtemp(prefix, options) {
    const { encoding } = optionsOf(options);
    const path = pathText(prefix, 'prefix');
    return call('makeTemporaryDirectory', [path], { syscall: 'mkdtemp', path: `${path}XXXXXX` }, textOf(encoding));
  },
  rm(target, options) {
    const { recursive = false, force = false } = optionsOf(options);
    const path = pathText(target);
    return call('remove', [path, Boolean(recursive), Boolean(force)], { syscall: 'lstat', path });
  },
  rmdir(directory, options) {
    const { recursive = false } = optionsOf(options);
    const path = pathText(directory);
    if (recursive) return call('remove', [path, true, false], { syscall: 'rmdir', path });
    return call('removeDirectory', [path], { syscall: 'rmdir', path });
  },
  unlink: plainPlan('unlink', 'unlink'),
  rename: twoPathPlan('rename', 'rename', ['oldPath', 'newPath']),
  copyFile(from, to, mode = 0) {
    const exclusive = (mode & constants.COPYFILE_EXCL) !== 0;
    return twoPathPlan('copyFile', 'copyfile', ['src', 'dest'], exclusive)(from, to);
  },
  realpath(file, options) {
    const { encoding } = optionsOf(options);
    return call('realPath', [pathText(file)], failingPart(pathText(file)), textOf(encoding));
  },
  readlink(file, options) {
    const { encoding } = optionsOf(options);
    return call('readLink', [pathText(file)], { syscall: 'readlink', path: pathText(file) }, textOf(encoding));
  },
  symlink: twoPathPlan('symbolicLink', 'symlink', ['target', 'path']),
  link: twoPathPlan('hardLink', 'link', ['existingPath', 'newPath']),
  chmod: (file, mode) => call('changeMode', [pathText(file), modeOf(mode)], { syscall: 'chmod', path: pathText(file) }),
  chown: ownerPlan('chown', true),
  lchown: ownerPlan('lchown', false),
  utimes: timesPlan('utime', true),
  lutimes: timesPlan('lutime', false),
  truncate(file, length = 0) {
    return call('truncate', [pathText(file), lengthOf(length)], { syscall: 'open', path: pathText(file) });
  },
};

/** `realpath` by the system's own resolver. */
export const realpathNative = (file, options) => ({ ...plans.realpath(file, options), errorDetails: { syscall: 'realpath', path: pathText(file) } });
