// Ticks come before promise jobs, however they are queued.
const order = [];
const log = (name) => () => order.push(name);
await new Promise((done) => setTimeout(done, 1));
setTimeout(() => {
  Promise.resolve().then(log('promise 1')).then(log('promise 2'));
  process.nextTick(() => {
    order.push('tick 1');
    process.nextTick(log('tick of tick'));
    Promise.resolve().then(log('promise of tick'));
  });
  process.nextTick(log('tick 2'));
  queueMicrotask(() => {
    order.push('microtask');
    process.nextTick(log('tick of microtask'));
    queueMicrotask(log('microtask of microtask'));
  });
  setImmediate(() => {
    order.push('immediate');
    process.nextTick(log('tick of immediate'));
    Promise.resolve().then(log('promise of immediate'));
  });
  setImmediate(log('immediate 2'));
}, 1);
await new Promise((done) => setTimeout(done, 30));
console.log(order);
const many = [];
for (let i = 0; i < 5000; i++) process.nextTick((n) => many.push(n), i);
await new Promise((done) => setImmediate(done));
console.log(many.length, many.every((n, i) => n === i));
for (const wrong of ['x', undefined, null, {}]) {
  try {
    process.nextTick(wrong);
  } catch (error) {
    console.log(error.code, error.message);
  }
}
