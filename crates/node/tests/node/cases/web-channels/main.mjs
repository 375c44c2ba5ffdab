// Channels, copies, waiting.
import { receiveMessageOnPort } from "node:worker_threads";

const t = (name, fn) => {
  const told = (error) => [error?.name, error?.code, error?.message];
  const say = (value) => console.log(`${name}:`, typeof value === "string" ? value : JSON.stringify(value, (_, x) => (typeof x === "bigint" ? `${x}n` : x)));
  let value;
  try {
    value = fn();
  } catch (error) {
    return say(told(error));
  }
  return typeof value?.then === "function" ? value.then(say, (error) => say(told(error))) : say(value);
};
await t('broadcast', async () => {
  const [a, b, c] = ['x', 'x', 'y'].map((name) => new BroadcastChannel(name));
  const heard = new Promise((resolve) => (b.onmessage = ({ data, type }) => resolve([data, type])));
  c.onmessage = () => console.log('another channel');
  a.postMessage({ q: [1] });
  const message = await heard;
  for (const channel of [a, b, c]) channel.close();
  return [message, a.name];
});
t('no name', () => new BroadcastChannel());
t('closed', () => {
  const channel = new BroadcastChannel('z');
  channel.close();
  channel.postMessage(1);
});
t('receive', () => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage({ a: 1 });
  return [receiveMessageOnPort(port2), receiveMessageOnPort(port2) === undefined];
});
t('clone proxy', () => structuredClone(new Proxy({}, {})));
t('wait', () => {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const start = performance.now();
  return [Atomics.wait(shared, 0, 1), Atomics.wait(shared, 0, 0, 20), performance.now() - start > 15];
});
