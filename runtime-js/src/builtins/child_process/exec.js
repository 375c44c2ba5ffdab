// `exec` and `execFile`: collect a child's output.
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { checkSignal, limitsOf, sortArguments } from './arguments.js';
import { start } from './child.js';
import { origin, withOrigin } from '../shared/origin.js';

const { Buffer } = globalThis;
const MAX_BUFFER = 1024 * 1024;
const promisifyCustom = Symbol.for('nodejs.util.promisify.custom');

/** Collects one stream; calls `full` when it exceeds `limit`. */
function collect(stream, encoding, limit, full) {
  const parts = [];
  let length = 0;
  if (encoding) stream?.setEncoding(encoding);
  stream?.on('data', (chunk) => {
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk, stream.readableEncoding) : chunk.length;
    length += size;
    if (length <= limit) return void parts.push(chunk);
    parts.push(chunk.slice(0, Math.max(limit - (length - size), 0)));
    full();
  });
  return () => (encoding || stream?.readableEncoding ? parts.join('') : Buffer.concat(parts));
}

function run(file, args, given, callback) {
  const options = { encoding: 'utf8', timeout: 0, maxBuffer: MAX_BUFFER, killSignal: 'SIGTERM', cwd: null, env: null, shell: false, ...given };
  const { timeout, maxBuffer } = limitsOf(options, MAX_BUFFER);
  checkSignal(options.signal);
  const { cwd, env, gid, uid, shell, signal, windowsHide, argv0, killSignal } = options;
  const child = start({ file, args, options: { cwd, env, gid, uid, shell: shell ?? undefined, signal, windowsHide: Boolean(windowsHide), argv0, killSignal } });
  const encoding = options.encoding !== 'buffer' && Buffer.isEncoding(options.encoding) ? options.encoding : null;
  let failure;
  let ended = false;
  let killed = false;
  let timer;
  const kill = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    killed = true;
    try {
      child.kill(killSignal);
    } catch (error) {
      failure ??= error;
      finish();
    }
  };
  const full = (name) => () => {
    failure = nodeError(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`);
    kill();
  };
  const stdout = collect(child.stdout, encoding, maxBuffer, full('stdout'));
  const stderr = collect(child.stderr, encoding, maxBuffer, full('stderr'));
  function finish(code, signalCode) {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    if (!callback) return;
    const [out, err] = [stdout(), stderr()];
    if (!failure && code === 0 && signalCode === null) return callback(null, out, err);
    const cmd = [file, ...args].join(' ');
    if (!failure) {
      failure = new Error(`Command failed: ${cmd}\n${err}`);
      Object.assign(failure, { code, killed: child.killed || killed, signal: signalCode });
    }
    failure.cmd = cmd;
    callback(failure, out, err);
  }
  if (timeout > 0) {
    timer = setTimeout(() => {
      timer = undefined;
      kill();
    }, timeout);
  }
  child.on('close', finish);
  child.on('error', (error) => {
    failure = error;
    child.stdout?.destroy();
    child.stderr?.destroy();
    finish();
  });
  return child;
}

/** Splits off a trailing callback. */
function splitCallback(values) {
  while (values.length > 0 && (values.at(-1) === undefined || values.at(-1) === null)) values.pop();
  const callback = typeof values.at(-1) === 'function' ? values.pop() : undefined;
  return [callback, values];
}

export function execFile(file, ...rest) {
  const [callback, [first, second]] = splitCallback(rest);
  if (first !== undefined && first !== null && typeof first !== 'object') throw invalidArgumentType('args', 'of type object', first);
  const { args, options } = sortArguments(file, first, second);
  return run(file, args, options, callback);
}

export function exec(command, ...rest) {
  if (typeof command !== 'string') throw invalidArgumentType('command', 'of type string', command);
  const [callback, [options]] = splitCallback(rest);
  const { shell } = options ?? {};
  return run(command, [], { ...options, shell: typeof shell === 'string' ? shell : true }, callback);
}

/** For `util.promisify`: resolves to `{stdout, stderr}`; the promise has the child as `child`. */
function promised(original) {
  return (...values) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    const from = origin();
    promise.child = original(...values, (error, stdout, stderr) => {
      if (error) reject(withOrigin(Object.assign(error, { stdout, stderr }), from));
      else resolve({ stdout, stderr });
    });
    return promise;
  };
}
for (const original of [exec, execFile]) Object.defineProperty(original, promisifyCustom, { value: promised(original), enumerable: false });
