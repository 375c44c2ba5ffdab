// A clock that starts at a chosen time and random numbers that repeat, for `lmthing check`: it renders a prompt more than once, at
// different times, and compares the requests.

const SystemDate = Date;
const QUARTER_OF_AN_HOUR = 15 * 60_000;
// Within the same quarter of an hour, the date and the hour are the same in every time zone: a text that contains these
// alone is the same for long enough.
const MINUTES = 411_287;
// Another year, quarter, month, day, day of the week, half of the day and hour.
const MONTHS = ((520 * 24 + 13) * 60 + 17) * 60_000 + 23_411;
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

// By the names of `Clock` in crates/engine.
const APART = { first: 0, minutes: direction * MINUTES, months: MONTHS };

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

/** Begins the random numbers again. */
export function restartRandom() {
  seed = FIRST;
}

/** Sets the clock, and begins the random numbers again: those of the clock `first`, or others. */
export function setClock(name) {
  const apart = APART[name];
  isOther = name !== 'first';
  offset = start + apart - SystemDate.now();
  restartRandom();
  globalThis.Date = SteadyDate;
  performance.now = () => systemPerformance() + Math.abs(apart);
  Math.random = random;
  // Another run is another process.
  if (name === 'months') Object.defineProperty(process, 'pid', { value: process.pid + 1 });
}
