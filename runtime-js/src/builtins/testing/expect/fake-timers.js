// `vi.useFakeTimers` and related functions; the clock, @sinonjs/fake-timers, is loaded on first use.
import { importBuiltin } from 'lmthing:internal/native/modules';

// Not faked, as in Vitest: the runner itself depends on them.
const LEFT_REAL = ['nextTick', 'queueMicrotask'];
const RealDate = Date;

let timers;
let clock;
/** False if only the date is faked. */
let isFaking = false;

const load = () => (timers ??= importBuiltin('lmthing:internal/testing/fake-clock').withGlobal(globalThis));

function install(options) {
  clock?.uninstall();
  clock = load().install({ ignoreMissingTimers: true, ...options });
}

function faked() {
  if (isFaking) return clock;
  throw new Error(
    'A function to advance timers was called but the timers APIs are not mocked. Call `vi.useFakeTimers()` in the test file first.',
  );
}

function useFakeTimers(options = {}) {
  const now = clock ? clock.now : RealDate.now();
  const { toFake, toNotFake } = options;
  const chosen = toFake ?? Object.keys(load().timers).filter((name) => !LEFT_REAL.includes(name) && !toNotFake?.includes(name));
  const { toNotFake: _, ...rest } = options;
  install({ now, ...rest, toFake: chosen });
  isFaking = true;
}

function useRealTimers() {
  clock?.uninstall();
  clock = undefined;
  isFaking = false;
}

function setSystemTime(time = RealDate.now()) {
  const date = new RealDate(time);
  if (clock) clock.setSystemTime(date);
  else install({ now: date, toFake: ['Date'] });
}

function next(steps) {
  for (let step = 0; step < steps; step++) {
    faked().next();
    clock.tick(0);
    if (clock.countTimers() === 0) break;
  }
}

async function nextAsync(steps) {
  for (let step = 0; step < steps; step++) {
    await faked().nextAsync();
    clock.tick(0);
    if (clock.countTimers() === 0) break;
  }
}

const MODES = { manual: 'manual', nextTimerAsync: 'nextAsync', interval: 'interval' };

function setTimerTickMode(mode, delta) {
  if (!Object.hasOwn(MODES, mode)) throw new Error(`Invalid tick mode: ${mode}`);
  faked().setTickMode({ mode: MODES[mode], ...(mode === 'interval' ? { delta } : {}) });
}

/** The timer functions of `vi`; most return `vi`. */
export function timerFunctions(vi) {
  const chained = {
    useFakeTimers,
    useRealTimers,
    setSystemTime,
    setTimerTickMode,
    runAllTimers: () => faked().runAll(),
    runOnlyPendingTimers: () => faked().runToLast(),
    runAllTicks: () => faked().runMicrotasks(),
    advanceTimersByTime: (milliseconds) => faked().tick(milliseconds),
    advanceTimersToNextTimer: (steps = 1) => next(steps),
    advanceTimersToNextFrame: () => faked().runToFrame(),
    clearAllTimers: () => isFaking && clock.reset(),
    runAllTimersAsync: () => faked().runAllAsync(),
    runOnlyPendingTimersAsync: () => faked().runToLastAsync(),
    advanceTimersByTimeAsync: (milliseconds) => faked().tickAsync(milliseconds),
    advanceTimersToNextTimerAsync: (steps = 1) => nextAsync(steps),
  };
  const functions = Object.entries(chained).map(([name, run]) => {
    const isAsync = name.endsWith('Async');
    return [name, isAsync ? async (...args) => (await run(...args), vi) : (...args) => (run(...args), vi)];
  });
  return {
    ...Object.fromEntries(functions),
    isFakeTimers: () => isFaking,
    getTimerCount: () => faked().countTimers(),
    getMockedSystemTime: () => (clock ? new RealDate(clock.now) : null),
    getRealSystemTime: () => RealDate.now(),
  };
}
