// Clients that disconnect, and the server's events.
const show = (name, value) =>
  console.log(JSON.stringify({ [name]: value }, (k, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined ? '__undef' : v)));
const err = (e) => [e.name, e.code, e.errno, e.syscall, e.path?.replace?.(process.cwd(), 'CWD'), e.dest, e.message.replaceAll(process.cwd(), 'CWD')];
const t = async (name, fn) => {
  try {
    show(name, await fn());
  } catch (e) {
    show(name + ' !', err(e));
  }
};
const sleep = (ms) => new Promise((d) => setTimeout(d, ms));
import http from 'node:http';
import { once } from 'node:events';
const ev = [];
const s = http.createServer((q, r) => {
  q.resume();
  q.on('close', () => ev.push('q close'));
  q.on('end', () => ev.push('q end'));
  r.on('close', () => ev.push('r close'));
  r.on('finish', () => ev.push('r finish'));
  setTimeout(() => {
    ev.push('answer');
    r.end('x');
  }, 20);
});
s.listen(0);
await once(s, 'listening');
await (await fetch(`http://localhost:${s.address().port}`, { method: 'POST', body: 'abc' })).text();
await sleep(20);
show('ev', ev);
// SSE with disconnect
const s2 = http.createServer((q, r) => {
  r.writeHead(200, { 'content-type': 'text/event-stream' });
  let i = 0;
  const iv = setInterval(() => r.write(`data: ${i++}\n\n`), 5);
  q.on('close', () => {
    clearInterval(iv);
    show('client gone', r.destroyed);
    s2.close();
  });
  r.on('close', () => show('r closed', r.writableFinished));
});
s2.listen(0);
await once(s2, 'listening');
const ac = new AbortController();
const res = await fetch(`http://localhost:${s2.address().port}`, { signal: ac.signal });
let n = 0;
try {
  for await (const c of res.body) {
    if (++n === 3) ac.abort();
  }
} catch (e) {
  show('e', e.name);
}
await once(s2, 'close');
s.close();
s.closeAllConnections();
const s3 = http.createServer(async (q, r) => {
  try {
    for await (const c of q);
  } catch (e) {
    show('server read', [e.code, e.message]);
  }
  s3.close();
});
s3.listen(0);
await once(s3, 'listening');
const rq = http.request({ port: s3.address().port, method: 'POST' });
rq.on('error', (e) => 0);
rq.write('abc');
setTimeout(() => rq.destroy(), 30);
await once(s3, 'close');
