// `spawnSync`, `execSync`, `execFileSync`.
import * as native from 'lmthing:internal/native/child-process';
import process from 'lmthing:internal/process';
import { dataBytes } from '../fs/arguments.js';
import { invalidArgumentType } from '../shared/errors.js';
import { signalName } from '../shared/signals.js';
import { errnoError } from '../shared/system-error.js';
import { limitsOf, plan, sortArguments } from './arguments.js';

const MAX_BUFFER = 1024 * 1024;

function shown(bytes, encoding) {
  if (bytes === undefined || bytes === null) return null;
  const buffer = globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

function inputBytes(input) {
  if (input === undefined || input === null) return undefined;
  if (typeof input !== 'string' && !ArrayBuffer.isView(input)) {
    throw invalidArgumentType('options.stdio[0]', 'of type string or an instance of Buffer, TypedArray, or DataView', input);
  }
  return dataBytes(input);
}

function run({ file, args, options }) {
  const limits = limitsOf(options, MAX_BUFFER);
  const { native: wanted, file: spawnfile, args: spawnargs } = plan(file, args, options);
  const input = inputBytes(options.input);
  // Input needs a pipe, whatever `stdio` says.
  if (input) wanted.stdio[0] = -1;
  const ended = native.spawnSync({ ...wanted, ...limits, input });
  const [stdout, stderr] = [ended.stdout, ended.stderr].map((bytes) => shown(bytes, options.encoding));
  const started = ended.pid !== undefined;
  const result = {
    status: ended.status ?? null,
    signal: typeof ended.signal === 'number' ? signalName(ended.signal, process.platform) : null,
    output: started ? [null, stdout, stderr] : null,
    pid: ended.pid ?? 0,
    stdout,
    stderr,
  };
  if (ended.code === undefined) return result;
  const error = errnoError(ended, `spawnSync ${spawnfile}`);
  error.path = spawnfile;
  error.spawnargs = spawnargs.slice(1);
  return { error, ...result };
}

export function spawnSync(file, args, options) {
  return run(sortArguments(file, args, options));
}

/** Returns the output of a successful child; throws otherwise. */
function outputOf(result, command, inheritsErrors) {
  if (inheritsErrors && result.stderr?.length > 0) process.stderr.write(result.stderr);
  const { error, stderr } = result;
  if (error) throw Object.assign(error, result);
  if (result.status !== 0) {
    const message = `Command failed: ${command}${stderr?.length > 0 ? `\n${stderr}` : ''}`;
    throw Object.assign(new Error(message), result);
  }
  return result.stdout;
}

export function execFileSync(file, args, options) {
  const sorted = sortArguments(file, args, options);
  return outputOf(run(sorted), [file, ...sorted.args].join(' '), !sorted.options.stdio);
}

export function execSync(command, options) {
  if (typeof command !== 'string') throw invalidArgumentType('command', 'of type string', command);
  const shell = typeof options?.shell === 'string' ? options.shell : true;
  const sorted = sortArguments(command, [], { ...options, shell });
  return outputOf(run(sorted), command, !options?.stdio);
}
