// performance: marks, measures, observers.
import perfHooks, { performance as imported, PerformanceObserver } from 'node:perf_hooks';

const show = (name, ...values) => console.log(name, ...values);
const failing = (run) => {
  try {
    return run();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
show('same', imported === performance, performance instanceof Performance, Object.prototype.toString.call(performance));
const before = performance.now();
for (let i = 0; i < 1e5; i++);
show('now', performance.now() > before, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000);
const mark = performance.mark('a', { startTime: 10, detail: { x: [1] } });
show('mark', mark.name, mark.entryType, mark.startTime, mark.duration, mark.detail, mark instanceof PerformanceMark, mark instanceof PerformanceEntry, JSON.stringify(mark));
console.log(mark);
performance.mark('b', { startTime: 25 });
const measure = performance.measure('m', 'a', 'b');
show('measure', measure.startTime, measure.duration, measure.detail, measure instanceof PerformanceMeasure);
show('measures', performance.measure('n', { start: 1, end: 4, detail: 'd' }).toJSON(), performance.measure('o', { start: 'a', duration: 5 }).duration, performance.measure('p', { end: 'b', duration: 5 }).startTime, performance.measure('q', undefined, 'b').duration);
show('entries', performance.getEntries().map(({ name }) => name), performance.getEntriesByType('mark').length, performance.getEntriesByName('m').length, performance.getEntriesByName('m', 'mark').length);
show('wrong', failing(() => performance.measure('x', 'missing')), failing(() => performance.measure(5)), failing(() => performance.mark('x', { startTime: -1 })), failing(() => new Performance()).slice(0, 2), failing(() => performance.measure('x', { start: 1, end: 2, duration: 3 })), failing(() => performance.timerify(5)));
performance.clearMarks('a');
performance.clearMeasures();
show('cleared', performance.getEntries().map(({ name }) => name));
performance.clearMarks();
const lists = [];
const observer = new PerformanceObserver((list, self) => lists.push([list.getEntries().map(({ name }) => name), list.getEntriesByType('mark').length, list.getEntriesByName('second').length, self === observer]));
observer.observe({ entryTypes: ['mark', 'measure'] });
performance.mark('first');
performance.mark('second');
performance.measure('both', 'first', 'second');
await new Promise((done) => setTimeout(done, 10));
observer.disconnect();
performance.mark('third');
await new Promise((done) => setTimeout(done, 5));
show('observed', lists);
const buffered = await new Promise((done) => new PerformanceObserver((list, self) => (self.disconnect(), done(list.getEntries().length))).observe({ type: 'mark', buffered: true }));
show('buffered', buffered);
show('observer wrong', failing(() => new PerformanceObserver(5)), failing(() => observer.observe({})), ['mark', 'measure', 'function'].every((type) => PerformanceObserver.supportedEntryTypes.includes(type)));
const timed = performance.timerify(function twice(n) {
  return n * 2;
});
show('timerify', timed(4), timed.name, timed.length);
show('names', ['monitorEventLoopDelay', 'createHistogram', 'constants'].every((name) => name in perfHooks), Object.keys(performance.eventLoopUtilization()));
