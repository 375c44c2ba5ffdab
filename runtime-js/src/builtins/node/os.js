// `node:os`.
import { homeDirectory, processorCount, systemLoad, systemNames, userIds } from 'lmthing:internal/native/os';
import { invalidArgumentType } from '../shared/errors.js';
import { signalsOf } from '../shared/signals.js';

const isWindows = process.platform === 'win32';
const [TOTAL, FREE, UPTIME, LOAD] = [0, 1, 2, 3];

export const EOL = isWindows ? '\r\n' : '\n';
export const devNull = isWindows ? '\\\\.\\nul' : '/dev/null';

export const arch = () => process.arch;
export const availableParallelism = () => processorCount();
export const endianness = () => (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'LE' : 'BE');
export const freemem = () => systemLoad()[FREE];
export const hostname = () => systemNames().nodename;
export const loadavg = () => systemLoad().slice(LOAD);
export const machine = () => systemNames().machine;
export const platform = () => process.platform;
export const release = () => systemNames().release;
export const totalmem = () => systemLoad()[TOTAL];
export const type = () => systemNames().sysname;
export const uptime = () => systemLoad()[UPTIME];
export const version = () => systemNames().version;
export const networkInterfaces = () => ({});
export const getPriority = () => 0;

/** One entry for each processor; the system's model names and times are not read. */
export function cpus() {
  const times = { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 };
  return Array.from({ length: processorCount() }, () => ({ model: 'unknown', speed: 0, times: { ...times } }));
}

export function homedir() {
  const home = isWindows ? process.env.USERPROFILE : process.env.HOME;
  return home || homeDirectory() || '/';
}

export function tmpdir() {
  const { env } = process;
  if (isWindows) return env.TEMP || env.TMP || `${env.SystemRoot || env.windir}\\temp`;
  const path = env.TMPDIR || env.TMP || env.TEMP || '/tmp';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

export function userInfo(options = {}) {
  if (options === null || typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  const { env } = process;
  const [uid, gid] = userIds();
  const username = env.USER || env.LOGNAME || env.USERNAME || (uid === 0 ? 'root' : '');
  return { uid, gid, username, homedir: homeDirectory() ?? homedir(), shell: isWindows ? null : (env.SHELL ?? null) };
}

const signals = { ...signalsOf(process.platform) };
// The numbers of Linux.
const errno = { E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EADDRNOTAVAIL: 99, EAFNOSUPPORT: 97, EAGAIN: 11, EALREADY: 114, EBADF: 9, EBADMSG: 74, EBUSY: 16, ECANCELED: 125, ECHILD: 10, ECONNABORTED: 103, ECONNREFUSED: 111, ECONNRESET: 104, EDEADLK: 35, EDESTADDRREQ: 89, EDOM: 33, EDQUOT: 122, EEXIST: 17, EFAULT: 14, EFBIG: 27, EHOSTUNREACH: 113, EIDRM: 43, EILSEQ: 84, EINPROGRESS: 115, EINTR: 4, EINVAL: 22, EIO: 5, EISCONN: 106, EISDIR: 21, ELOOP: 40, EMFILE: 24, EMLINK: 31, EMSGSIZE: 90, EMULTIHOP: 72, ENAMETOOLONG: 36, ENETDOWN: 100, ENETRESET: 102, ENETUNREACH: 101, ENFILE: 23, ENOBUFS: 105, ENODATA: 61, ENODEV: 19, ENOENT: 2, ENOEXEC: 8, ENOLCK: 37, ENOLINK: 67, ENOMEM: 12, ENOMSG: 42, ENOPROTOOPT: 92, ENOSPC: 28, ENOSR: 63, ENOSTR: 60, ENOSYS: 38, ENOTCONN: 107, ENOTDIR: 20, ENOTEMPTY: 39, ENOTSOCK: 88, ENOTSUP: 95, ENOTTY: 25, ENXIO: 6, EOPNOTSUPP: 95, EOVERFLOW: 75, EPERM: 1, EPIPE: 32, EPROTO: 71, EPROTONOSUPPORT: 93, EPROTOTYPE: 91, ERANGE: 34, EROFS: 30, ESPIPE: 29, ESRCH: 3, ESTALE: 116, ETIME: 62, ETIMEDOUT: 110, ETXTBSY: 26, EWOULDBLOCK: 11, EXDEV: 18 };
const priority = { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 };
export const constants = { signals, errno, priority };

export default { arch, availableParallelism, constants, cpus, devNull, endianness, EOL, freemem, getPriority, homedir, hostname, loadavg, machine, networkInterfaces, platform, release, tmpdir, totalmem, type, uptime, userInfo, version };
