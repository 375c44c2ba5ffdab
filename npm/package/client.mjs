// Runs prompt files from Node: starts the binary with `-f events`, and reads the events that it prints.
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findBinary, notStarted, spawnBinary } from './binary.js';

const OPTIONS = ['input', 'model', 'limits', 'signal', 'onEvent', 'stderr', 'binary'];
const LIMITS = { steps: '--max-steps', tokens: '--max-tokens', cost: '--max-cost', time: '--timeout' };
/** Milliseconds that a run has to end by itself when it is asked to. */
const END_TIME = 5000;
/** Milliseconds for output that an ended process has left: its own children may keep the pipe open. */
const DRAIN_TIME = 500;
/** Characters of standard error that are kept for the message of an error. */
const KEPT = 8192;

/** A run that failed: `code` and `kind` as in the object of `-f json`, which is `result` if there is one. */
export class RunError extends Error {
  constructor(message, { code, kind, result, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RunError';
    Object.assign(this, { code, kind, result });
  }
}

/** A run that was ended by its `signal`. */
export class AbortError extends RunError {
  constructor(signal, result) {
    super('the run was aborted', { code: 'ABORT_ERR', kind: 'aborted', result, cause: signal.reason });
    this.name = 'AbortError';
  }
}

/** Runs a prompt file; resolves to the object of `lmthing run -f json`. */
export async function run(file, options = {}) {
  let result;
  for await (const event of stream(file, options)) {
    if (event.type === 'run-finish') result = resultOf(event);
  }
  return result;
}

/** Runs a prompt file; iterates over the events of `lmthing run -f events`. The run begins with the first step. */
export function stream(file, options = {}) {
  refuseUnknown('option', Object.keys(options), OPTIONS);
  const args = ['run', '-f', 'events', ...optionsOf(options), pathOf(file)];
  const input = options.input === undefined ? undefined : String(JSON.stringify(options.input));
  return events(args, input, options);
}

async function* events(args, input, { signal, onEvent, stderr, binary }) {
  if (signal?.aborted) throw new AbortError(signal);
  const child = start(binary ?? path(), args, input, stderr);
  const abort = () => child.end();
  signal?.addEventListener('abort', abort, { once: true });
  let result;
  try {
    for await (const line of lines(child.output)) {
      const event = JSON.parse(line);
      if (event.type === 'run-finish') result = resultOf(event);
      if (!signal?.aborted) {
        await onEvent?.(event);
        yield event;
      }
      if (result) break;
    }
    const ending = await child.ended;
    if (signal?.aborted) throw new AbortError(signal, result);
    if (!result) throw await failureWithout(ending, child);
    if (!result.ok) throw new RunError(result.error.message, { ...result.error, result });
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!result) child.end();
    await child.ended;
  }
}

function path() {
  try {
    return findBinary();
  } catch (error) {
    throw notInstalled(error);
  }
}

function notInstalled({ message, cause }) {
  return new RunError(message, { code: 1, kind: 'install', cause });
}

function optionsOf({ input, model, limits }) {
  const args = input === undefined ? [] : ['--input', '-'];
  if (model !== undefined) args.push(`--model=${model}`);
  const given = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  refuseUnknown('limit', given.map(([name]) => name), Object.keys(LIMITS));
  for (const [name, value] of given) {
    // A number is a time in milliseconds, as in `config.limits`; on the command line it would be seconds.
    args.push(`${LIMITS[name]}=${value}${name === 'time' && typeof value === 'number' ? 'ms' : ''}`);
  }
  return args;
}

/** The binary never sees these: an option that is ignored could be a limit that is missing. */
function refuseUnknown(what, names, known) {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`there is no ${what} '${unknown}'; there are ${known.join(', ')}`);
}

function pathOf(file) {
  if (file instanceof URL) return fileURLToPath(file);
  if (typeof file !== 'string') throw new TypeError(`the file must be a path or a file: URL, not ${typeof file}`);
  return file.startsWith('-') ? `./${file}` : file;
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill()));

/** Starts the binary. `ended` resolves to its exit code or signal, or to the error with which it could not start. */
function start(binary, args, input, shown) {
  const child = spawned(binary, args, [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']);
  running.add(child);
  // It may end without reading its input.
  child.stdin?.on('error', () => {}).end(input);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    text = (text + piece).slice(-KEPT);
    if (shown === 'inherit') process.stderr.write(piece);
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ error: notStarted(binary, error) }));
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  let timer;
  ended.then(() => {
    running.delete(child);
    clearTimeout(timer);
    if (timer) setTimeout(() => child.stdout.destroy(), DRAIN_TIME).unref();
  });
  const end = () => {
    if (running.has(child) && child.kill()) timer ??= setTimeout(() => child.kill('SIGKILL'), END_TIME);
  };
  return { output: child.stdout.setEncoding('utf8'), ended, closed, end, errorText: () => text };
}

function spawned(binary, args, stdio) {
  try {
    return spawnBinary(binary, args, { stdio, windowsHide: true });
  } catch (error) {
    throw notInstalled(notStarted(binary, error));
  }
}

/** The lines of a stream; one that is not ended is dropped. Only `\n` ends a line: JSON may contain other line breaks. */
async function* lines(stream) {
  let begun = [];
  try {
    for await (const piece of stream) {
      const [first, ...rest] = piece.split('\n');
      begun.push(first);
      if (rest.length === 0) continue;
      yield begun.join('');
      begun = [rest.pop()];
      yield* rest;
    }
  } catch (error) {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function resultOf({ type, time, run, agent, ...result }) {
  return result;
}

/** The error of a process that ended without a result: wrong options, a crash, or a binary that cannot be started. */
async function failureWithout({ error, code, signal }, child) {
  if (error) return notInstalled(error);
  // A process that outlives it may keep its standard error open.
  await Promise.race([child.closed, new Promise((resolve) => setTimeout(resolve, DRAIN_TIME).unref())]);
  const said = child.errorText().trim().replace(/^Error: /, '');
  if (code === 2) return new RunError(said, { code, kind: 'usage' });
  const how = signal ? `by ${signal}` : `with code ${code}`;
  return new RunError(`lmthing ended ${how}, without a result${said && `:\n${said}`}`, {
    code: code ?? 128 + constants.signals[signal],
    kind: 'crash',
  });
}
