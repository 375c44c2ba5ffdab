// worker_threads and cluster as a program sees them from its only thread; diagnostics_channel.
import cluster, { isPrimary } from 'node:cluster';
import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics, { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { getEnvironmentData, isMainThread, parentPort, setEnvironmentData, threadId, workerData } from 'node:worker_threads';

const show = (name, ...values) => console.log(name, ...values);
show('threads', isMainThread, parentPort, threadId, workerData);
setEnvironmentData('a', 1);
show('data', getEnvironmentData('a'), getEnvironmentData('b'));
show('cluster', isPrimary, cluster.isWorker, cluster.isMaster, Object.keys(cluster.workers));

const own = channel('own');
show('channel', own === channel('own'), own.name, own.hasSubscribers, hasSubscribers('own'), hasSubscribers('other'), own instanceof diagnostics.Channel);
const heard = (message, name) => show('heard', message, name);
subscribe('own', heard);
own.publish({ x: 1 });
show('unsubscribe', unsubscribe('own', heard), unsubscribe('own', heard), own.hasSubscribers);
own.publish('nobody');
process.on('uncaughtException', (error) => show('uncaught', error.message));
own.subscribe(() => {
  throw new Error('in a subscriber');
});
own.subscribe(heard);
own.publish('both');
await new Promise((done) => setTimeout(done, 5));
const storage = new AsyncLocalStorage();
const stored = channel('stored');
stored.bindStore(storage, (data) => data.id);
show('stores', stored.runStores({ id: 7 }, function (a) { return [storage.getStore(), this.x, a]; }, { x: 1 }, 2), stored.unbindStore(storage));
const tracing = tracingChannel('work');
const handlers = Object.fromEntries(['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => [event, (context) => show('trace', event, { ...context, error: context.error?.message })]));
tracing.subscribe(handlers);
show('sync', tracing.traceSync((a, b) => a + b, { name: 'add' }, null, 1, 2));
try {
  tracing.traceSync(() => {
    throw new Error('failed');
  }, { name: 'fail' });
} catch (error) {
  show('thrown', error.message);
}
show('promise', await tracing.tracePromise(async (x) => x * 2, { name: 'async' }, null, 4));
tracing.traceCallback((x, callback) => callback(null, x + 1), 1, { name: 'callback' }, null, 5, (error, result) => show('result', error, result));
show('tracing', tracing.unsubscribe(handlers));
for (const wrong of [() => channel(5), () => own.subscribe(5)]) {
  try {
    wrong();
  } catch (error) {
    show('wrong', error.code);
  }
}
