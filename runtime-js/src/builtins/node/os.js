import { homeDirectory, priority as systemPriority, processorCount, systemLoad, systemNames, userIds } from 'lmthing:internal/native/os';
import { readNetworks, readProcessors } from '../os/linux.js';
import { quietEnvironment } from '../shared/environment.js';
import { checkInteger, invalidArgumentType, nodeError } from '../shared/errors.js';
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
export const networkInterfaces = () => readNetworks();

/** Model names and times are available on Linux only. */
export function cpus() {
  const read = readProcessors();
  if (read.length > 0) return read;
  const times = { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 };
  return Array.from({ length: processorCount() }, () => ({ model: 'unknown', speed: 0, times: { ...times } }));
}

const MAX_ID = 2 ** 31 - 1;
const [LOWEST, HIGHEST] = [19, -20];

function askPriority(pid, wanted) {
  const answer = systemPriority(pid, wanted);
  if (typeof answer === 'number') return answer;
  const { code, number: errno, text } = answer;
  const syscall = wanted === undefined ? 'uv_os_getpriority' : 'uv_os_setpriority';
  const error = nodeError(Error, 'ERR_SYSTEM_ERROR', `A system error occurred: ${syscall} returned ${code} (${text})`);
  error.name = 'SystemError';
  throw Object.assign(error, { info: { errno: -errno, code, message: text, syscall }, errno: -errno, syscall });
}

export function getPriority(pid = 0) {
  checkInteger(pid, 'pid', -MAX_ID - 1, MAX_ID);
  return askPriority(pid);
}

export function setPriority(pid, priority) {
  if (priority === undefined) [pid, priority] = [0, pid];
  checkInteger(pid, 'pid', -MAX_ID - 1, MAX_ID);
  checkInteger(priority, 'priority', HIGHEST, LOWEST);
  askPriority(pid, priority);
}

export function homedir() {
  const home = isWindows ? quietEnvironment().USERPROFILE : quietEnvironment().HOME;
  return home || homeDirectory() || '/';
}

export function tmpdir() {
  const env = quietEnvironment();
  if (isWindows) return env.TEMP || env.TMP || `${env.SystemRoot || env.windir}\\temp`;
  const path = env.TMPDIR || env.TMP || env.TEMP || '/tmp';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

export function userInfo(options = {}) {
  if (options === null || typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  const env = quietEnvironment();
  const [uid, gid] = userIds();
  const username = env.USER || env.LOGNAME || env.USERNAME || (uid === 0 ? 'root' : '');
  const user = { uid, gid, username, homedir: homeDirectory() ?? homedir(), shell: isWindows ? null : (env.SHELL ?? null) };
  if (options.encoding !== 'buffer') return user;
  const bytes = (text) => (typeof text === 'string' ? globalThis.Buffer.from(text) : text);
  return Object.fromEntries(Object.entries(user).map(([name, value]) => [name, bytes(value)]));
}

const signals = { ...signalsOf(process.platform) };
// Linux numbers.
const errno = { E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EADDRNOTAVAIL: 99, EAFNOSUPPORT: 97, EAGAIN: 11, EALREADY: 114, EBADF: 9, EBADMSG: 74, EBUSY: 16, ECANCELED: 125, ECHILD: 10, ECONNABORTED: 103, ECONNREFUSED: 111, ECONNRESET: 104, EDEADLK: 35, EDESTADDRREQ: 89, EDOM: 33, EDQUOT: 122, EEXIST: 17, EFAULT: 14, EFBIG: 27, EHOSTUNREACH: 113, EIDRM: 43, EILSEQ: 84, EINPROGRESS: 115, EINTR: 4, EINVAL: 22, EIO: 5, EISCONN: 106, EISDIR: 21, ELOOP: 40, EMFILE: 24, EMLINK: 31, EMSGSIZE: 90, EMULTIHOP: 72, ENAMETOOLONG: 36, ENETDOWN: 100, ENETRESET: 102, ENETUNREACH: 101, ENFILE: 23, ENOBUFS: 105, ENODATA: 61, ENODEV: 19, ENOENT: 2, ENOEXEC: 8, ENOLCK: 37, ENOLINK: 67, ENOMEM: 12, ENOMSG: 42, ENOPROTOOPT: 92, ENOSPC: 28, ENOSR: 63, ENOSTR: 60, ENOSYS: 38, ENOTCONN: 107, ENOTDIR: 20, ENOTEMPTY: 39, ENOTSOCK: 88, ENOTSUP: 95, ENOTTY: 25, ENXIO: 6, EOPNOTSUPP: 95, EOVERFLOW: 75, EPERM: 1, EPIPE: 32, EPROTO: 71, EPROTONOSUPPORT: 93, EPROTOTYPE: 91, ERANGE: 34, EROFS: 30, ESPIPE: 29, ESRCH: 3, ESTALE: 116, ETIME: 62, ETIMEDOUT: 110, ETXTBSY: 26, EWOULDBLOCK: 11, EXDEV: 18 };
const priority = { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 };
const plain = (object) => Object.freeze(Object.assign(Object.create(null), object));
const dlopen = { RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 };
export const constants = plain({ UV_UDP_REUSEADDR: 4, dlopen: plain(dlopen), errno: plain(errno), signals: plain(signals), priority: plain(priority) });

// These functions convert to their result in templates: `${os.arch}`.
const answers = { arch, availableParallelism, endianness, freemem, homedir, hostname, machine, platform, release, tmpdir, totalmem, type, uptime, version };
for (const answer of Object.values(answers)) Object.defineProperty(answer, Symbol.toPrimitive, { value: () => answer(), configurable: true });


export default { arch, availableParallelism, constants, cpus, devNull, endianness, EOL, freemem, getPriority, homedir, hostname, loadavg, machine, networkInterfaces, platform, release, setPriority, tmpdir, totalmem, type, uptime, userInfo, version };
