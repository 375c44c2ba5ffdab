// `node:process`: the global `process`, with its members as named exports.
const { process } = globalThis;

export const {
  abort, allowedNodeEnvironmentFlags, arch, argv, argv0, availableMemory, binding, chdir, config, constrainedMemory,
  cpuUsage, cwd, debugPort, dlopen, emitWarning, env, execArgv, execPath, exit, features, getActiveResourcesInfo,
  getBuiltinModule, getegid, geteuid, getgid, getgroups, getuid, hasUncaughtExceptionCaptureCallback, hrtime, kill,
  loadEnvFile, memoryUsage, nextTick, openStdin, pid, platform, ppid, reallyExit, release, resourceUsage, setegid,
  seteuid, setgid, setgroups, setSourceMapsEnabled, setuid, setUncaughtExceptionCaptureCallback, stderr, stdin, stdout,
  title, umask, uptime, version, versions,
} = process;
const emitter = (name) => (...values) => process[name](...values);
export const [addListener, emit, eventNames, listenerCount, listeners, off, on, once, prependListener, removeAllListeners, removeListener] = [
  'addListener', 'emit', 'eventNames', 'listenerCount', 'listeners', 'off', 'on', 'once', 'prependListener', 'removeAllListeners', 'removeListener',
].map(emitter);
export default process;
