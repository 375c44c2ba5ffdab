// Servers that are closed early, connections that are not kept, requests that come in a row.
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import fs from 'node:fs';
import { getEventListeners, once } from 'node:events';

const fails = (run) => {
  try {
    run();
    return 'fine';
  } catch (error) {
    return [error.name, error.code];
  }
};
const listening = (server) => once(server.listen(0, '127.0.0.1'), 'listening');
const closed = (server) => new Promise((resolve) => server.close(resolve));

/** All that comes back for `text`, without what differs by the hour. */
function say(server, text, later) {
  return new Promise((resolve) => {
    let all = '';
    const socket = net.connect(server.address().port, '127.0.0.1', () => later?.(socket));
    socket.on('data', (data) => { all += data; });
    socket.on('error', () => {});
    socket.on('close', () => resolve(all.replace(/Date: .*\r\n/g, '')));
    if (text) socket.write(text);
  });
}

const short = net.createServer((socket) => {
  console.log('knows its server', socket.server === short);
  socket.destroy();
});
await listening(short);
await say(short);
console.log('connections', await new Promise((resolve) => short.getConnections((_, count) => resolve(count))));
console.log('closed', await closed(short));

const early = net.createServer();
early.on('listening', () => console.log('never'));
early.listen(0, 'localhost');
await new Promise((resolve) => early.close((error) => resolve(console.log('early', error?.code))));

const controller = new AbortController();
const aborted = net.createServer();
aborted.listen({ port: 0, host: '127.0.0.1', signal: AbortSignal.abort() });
await once(aborted, 'close');
for (let round = 0; round < 3; round++) {
  const server = net.createServer();
  server.listen({ port: 0, host: '127.0.0.1', signal: controller.signal });
  await once(server, 'listening');
  await closed(server);
  const watcher = fs.watch('.', { signal: controller.signal });
  watcher.close();
  await once(watcher, 'close');
}
console.log('listeners left', getEventListeners(controller.signal, 'abort').length);
const last = net.createServer();
last.listen({ port: 0, host: '127.0.0.1', signal: controller.signal });
await once(last, 'listening');
controller.abort();
await once(last, 'close');

const nowhere = new net.Socket();
nowhere.on('error', (error) => console.log('error', error.code));
nowhere.write('x', (error) => console.log('written', error?.code));
await once(nowhere, 'close').catch(() => {});
const echoing = net.createServer((socket) => socket.pipe(socket));
await listening(echoing);
const writing = net.connect(echoing.address().port, '127.0.0.1', () => writing.end('written at once'));
for await (const data of writing) console.log(String(data));
await closed(echoing);

console.log(fails(() => http.createServer(null)), fails(() => https.createServer(null)), fails(() => net.createServer(null)), fails(() => net.createServer(5)), fails(() => http.createServer(5)));
const small = net.createServer({ highWaterMark: 5 }, (socket) => {
  console.log('marks', socket.readableHighWaterMark, socket.writableHighWaterMark);
  socket.end();
  socket.resume();
});
await listening(small);
await say(small);
await closed(small);

const get = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const web = http.createServer({ highWaterMark: 77 }, (request, response) => {
  console.log('request', request.url, request.socket.readableHighWaterMark);
  const delay = Number(new URL(request.url, 'http://x').searchParams.get('after'));
  if (delay) setTimeout(() => response.end(`answer ${request.url}`), delay);
  else response.end('x');
});
await listening(web);
console.log(await say(web, get('/a', 'Connection: close\r\n') + get('/b')));
console.log(await say(web, `GET /a HTTP/1.1\r\n\r\n${get('/b')}`));
console.log(await say(web, get('/1?after=60') + get('/2?after=10') + get('/3', 'Connection: close\r\n')));
const keeping = say(web, undefined, (socket) => {
  setTimeout(() => {
    web.close(() => console.log('web closed'));
    setTimeout(() => socket.write(get('/late', 'Connection: close\r\n')), 30);
  }, 30);
});
console.log((await keeping).split('\r\n')[0]);

const destroying = http.createServer((request, response) => response.end('x'));
destroying.on('connection', (socket) => socket.destroy());
await listening(destroying);
console.log(await say(destroying, get('/')) === '');
await closed(destroying);

const limited = http.createServer({ requireHostHeader: false, keepAliveTimeout: 80, maxHeaderSize: 200 }, (request, response) => response.end(request.url));
limited.maxRequestsPerSocket = 1;
limited.on('dropRequest', (request) => console.log('dropped', request.url));
await listening(limited);
console.log(await say(limited, 'GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n'));
console.log((await say(limited, `GET / HTTP/1.1\r\nX: ${'a'.repeat(500)}\r\n\r\n`)).split('\r\n')[0]);
limited.maxRequestsPerSocket = 3;
console.log(await say(limited, 'GET /1 HTTP/1.1\r\n\r\n'));
await closed(limited);

// Many in a row, with bodies, of which none waits for the one before.
const echo = http.createServer((request, response) => {
  let size = 0;
  request.on('data', (data) => { size += data.length; });
  request.on('end', () => setTimeout(() => response.end(`[${request.url} ${size}]`), (Number(request.url.slice(1)) * 7) % 13));
});
await listening(echo);
const post = (number, size, last) => `POST /${number} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n${last ? 'Connection: close\r\n' : ''}\r\n${'y'.repeat(size)}`;
const row = Array.from({ length: 40 }, (_, index) => post(index, index * 3000, index === 39)).join('');
console.log((await say(echo, row)).match(/\[\/\d+ \d+\]/g).join(' '));
await closed(echo);
const silent = http.createServer((request, response) => {
  request.on('close', () => console.log('request closed', request.url, request.destroyed));
  response.on('close', () => console.log('answer closed', request.url, response.writableFinished));
});
await listening(silent);
await say(silent, get('/1') + get('/2'), (socket) => setTimeout(() => socket.destroy(), 50));
await closed(silent);
