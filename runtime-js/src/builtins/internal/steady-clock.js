// A clock that starts at a chosen time and random numbers that repeat, for `lmthing check`: it runs a prompt function twice, at
// two times, and compares what it defines.

const SystemDate = Date;
const QUARTER_OF_AN_HOUR = 15 * 60_000;
// Within the same quarter of an hour, the date and the hour are the same in every time zone: a text that contains these
// alone is the same for long enough.
const APART = 411_287;
// The clock goes on for less than this.
const MARGIN = 10_000;

// The first number is 0.87: another choice of two or more things than 0.13.
const FIRST = 111_111;

const systemPerformance = performance.now.bind(performance);

const now = SystemDate.now();
const direction = now % QUARTER_OF_AN_HOUR < QUARTER_OF_AN_HOUR / 2 ? 1 : -1;
const start = direction === 1 ? now : now - MARGIN;
let offset = 0;
let seed = FIRST;
let isOther = false;

const time = () => SystemDate.now() + offset;

const SteadyDate = new Proxy(SystemDate, {
  apply: () => new SystemDate(time()).toString(),
  construct: (target, args, called) => Reflect.construct(target, args.length === 0 ? [time()] : args, called === SteadyDate ? target : called),
  get: (target, key, receiver) => (key === 'now' ? time : Reflect.get(target, key, receiver)),
});

function random() {
  seed = (seed * 16_807) % (2 ** 31 - 1);
  // The other number is always on the other side of 0.5.
  const number = seed / (2 ** 31 - 1);
  return isOther ? 1 - number : number;
}

/** Sets the clock, and begins the random numbers again: those of the first run, or others. */
export function setClock(other) {
  isOther = other;
  offset = (other ? start + direction * APART : start) - SystemDate.now();
  seed = FIRST;
  globalThis.Date = SteadyDate;
  performance.now = () => systemPerformance() + (other ? APART : 0);
  Math.random = random;
}
