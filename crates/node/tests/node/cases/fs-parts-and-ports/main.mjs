// Files from parts with an encoding, until a signal; what ports and channels still deliver when they are closed.
import fs from 'node:fs/promises';
import { MessageChannel as Channel, receiveMessageOnPort } from 'node:worker_threads';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const fails = async (run) => {
  try {
    return await run();
  } catch (error) {
    return [error.name, error.code];
  }
};
await fs.writeFile('a', ['é', 'ü'], 'latin1');
console.log(await fs.readFile('a'));
await fs.writeFile('a', ['c3a9'], { encoding: 'hex' });
console.log(await fs.readFile('a'));
await fs.appendFile('a', new Uint16Array([1, 2]));
await fs.writeFile('b', (function* () { yield new Uint16Array([1, 2]); yield 'x'; })());
console.log(await fs.readFile('b'));
console.log(await fails(() => fs.writeFile('b', [5])));
const controller = new AbortController();
let given = 0;
async function* parts() {
  try {
    for (;;) {
      given += 1;
      yield 'x';
      await pause(10);
    }
  } finally {
    console.log('source ended');
  }
}
const writing = fs.writeFile('c', parts(), { signal: controller.signal });
setTimeout(() => controller.abort(), 35);
console.log(await fails(() => writing));
const before = given;
await pause(40);
console.log('goes on', given !== before);

const { port1, port2 } = new MessageChannel();
port2.on('message', (message) => console.log('got', message));
port2.on('close', () => console.log('closed'));
for (let number = 0; number < 3; number++) port1.postMessage(number);
port1.close();
await pause(50);

const waiting = new Channel();
waiting.port1.postMessage('lies there');
waiting.port1.close();
await pause(20);
console.log(receiveMessageOnPort(waiting.port2), receiveMessageOnPort(waiting.port2));
console.log(await fails(() => receiveMessageOnPort({})), await fails(() => receiveMessageOnPort()));
const [first, second] = [new BroadcastChannel('z'), new BroadcastChannel('z')];
first.postMessage('hey');
console.log(receiveMessageOnPort(second), receiveMessageOnPort(second));
console.log(await fails(() => first.postMessage(() => {})));
second.close();
console.log(await fails(() => first.postMessage(() => {})));
first.close();
