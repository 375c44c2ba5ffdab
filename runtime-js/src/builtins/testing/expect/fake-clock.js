// The clock of `vi.useFakeTimers`.
export { withGlobal } from '@sinonjs/fake-timers';
