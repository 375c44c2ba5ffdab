// `node:process`: the global, with its members as named exports.
const { process } = globalThis;

export const { arch, argv, argv0, cwd, emitWarning, env, execArgv, execPath, exit, hrtime, memoryUsage, nextTick, on, once, off, pid, platform, ppid, release, stderr, stdin, stdout, title, uptime, version, versions } = process;
export default process;
