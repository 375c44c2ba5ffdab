// Events of `process`: exit, uncaught exceptions, signals. Loaded with `node:events`.
import { setHooks } from 'lmthing:internal/native/process';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { setImmediate } from 'lmthing:internal/timers';
import { signalsOf } from '../shared/signals.js';
import { errnoError } from '../shared/system-error.js';

/** Set by `process.setUncaughtExceptionCaptureCallback`. */
let capture = null;
export const setCapture = (callback) => void (capture = callback);
export const hasCapture = () => capture !== null;

export function connect(process) {
  function emitExit(code) {
    if (process._exiting) return process.exitCode ?? code;
    process._exiting = true;
    process.emit('exit', code);
    return process.exitCode ?? code;
  }

  function uncaught(error, origin = 'uncaughtException', code = 1) {
    process.emit('uncaughtExceptionMonitor', error, origin);
    if (capture !== null) {
      capture(error);
      return true;
    }
    if (process.emit('uncaughtException', error, origin)) return true;
    process.exitCode = code;
    // Stays uncaught, whatever `exit` listeners do.
    hooks.isUnhandled = true;
    emitExit(code);
    return false;
  }

  const hooks = {
    isUnhandled: false,
    uncaught,
    rejected: (reason, promise) => process.emit('unhandledRejection', reason, promise) || uncaught(reason, 'unhandledRejection'),
    beforeExit: () => void process.emit('beforeExit', process.exitCode ?? 0),
    exit: (code) => emitExit(code),
  };
  setHooks(hooks);

  const signals = signalsOf(process.platform);
  let native;
  function system() {
    if (!native) {
      native = importBuiltin('lmthing:internal/native/system');
      // Some signal numbers have two names.
      const emit = (number) => {
        for (const name in signals) if (signals[name] === number) process.emit(name, name, number);
      };
      // Must not keep the program alive.
      native.onSignal((number) => setImmediate(emit, number).unref());
    }
    return native;
  }
  process.on('newListener', function startListeningIfSignal(name) {
    const number = signals[name];
    if (number === undefined || process.listenerCount(name) > 0) return;
    const failure = system().listen(number);
    if (failure) throw errnoError(failure, 'uv_signal_start');
  });
  process.on('removeListener', function stopListeningIfSignal(name) {
    if (signals[name] !== undefined && process.listenerCount(name) === 0) system().ignore(signals[name]);
  });
}
