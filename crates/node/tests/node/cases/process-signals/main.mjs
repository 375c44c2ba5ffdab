// Signals with listeners, and without.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const show = (name, ...values) => console.log(name, ...values);
const got = (signal) => new Promise((done) => process.once(signal, (...values) => done(values)));
const alive = setInterval(() => {}, 1000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGWINCH', 'SIGCONT']) {
  const waiting = got(signal);
  process.kill(process.pid, signal);
  show(signal, await waiting, process.listenerCount(signal));
}
let count = 0;
process.on('SIGINT', () => (count += 1));
for (let i = 0; i < 3; i++) {
  process.kill(process.pid, 'SIGINT');
  await new Promise((done) => setTimeout(done, 20));
}
show('repeated', count);
const child = spawn('sleep', ['10']);
process.kill(child.pid, 'SIGTERM');
show('other', await once(child, 'exit'));
for (const signal of ['SIGKILL', 'SIGSTOP']) {
  try {
    process.on(signal, () => {});
  } catch (error) {
    show(signal, error.code, error.syscall);
  }
}
clearInterval(alive);
process.on('exit', (code) => show('ends with listeners', code));
