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
const errno = { EPERM: 1, ENOENT: 2, EIO: 5, EBADF: 9, EACCES: 13, EEXIST: 17, ENOTDIR: 20, EISDIR: 21, EINVAL: 22 };
const priority = { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 };
export const constants = { signals, errno, priority };

export default { arch, availableParallelism, constants, cpus, devNull, endianness, EOL, freemem, getPriority, homedir, hostname, loadavg, machine, networkInterfaces, platform, release, tmpdir, totalmem, type, uptime, userInfo, version };
