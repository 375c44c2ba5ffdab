// Errors that listeners of connections, servers and watchers throw are an uncaught exception; everything else continues.
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';

process.on('uncaughtException', (error, origin) => console.log('uncaught', error.message, origin));
process.on('unhandledRejection', (error) => console.log('unhandled rejection', error.message));
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let count = 0;
const server = net.createServer((socket) => {
  socket.resume();
  count += 1;
  setTimeout(() => socket.write('a'), 10);
  setTimeout(() => socket.write('b'), 60);
  setTimeout(() => socket.end('c'), 110);
  if (count === 1) throw new Error('in connection');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
for (let round = 1; round <= 2; round++) {
  const socket = net.connect(server.address().port, '127.0.0.1');
  socket.on('data', (data) => {
    console.log('data', String(data));
    if (String(data) === 'a') throw new Error(`in data ${round}`);
  });
  await new Promise((resolve) => socket.on('close', resolve));
  console.log('closed');
}
await new Promise((resolve) => server.close(resolve));

const web = http.createServer((request, response) => {
  if (request.url === '/throws') {
    setTimeout(() => response.end('late'), 20);
    throw new Error('in request');
  }
  if (request.url === '/data') request.on('data', () => { throw new Error('in request data'); });
  if (request.url === '/parse') throw Object.assign(new Error('like a parser'), { code: 'HPE_INVALID_METHOD' });
  setTimeout(() => response.end('fine'), 20);
});
web.on('clientError', (error, socket) => {
  console.log('client error', error.code);
  socket.destroy();
});
await once(web.listen(0, '127.0.0.1'), 'listening');
const ask = (path, method = 'GET') =>
  new Promise((resolve) => {
    const request = http.request({ port: web.address().port, host: '127.0.0.1', path, method, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      if (path === '/answer') throw new Error('in response');
    });
    request.on('error', (error) => resolve(error.code));
    setTimeout(() => resolve('nothing'), 200);
    request.end(method === 'POST' ? 'body' : undefined);
  });
console.log('/throws', await ask('/throws'));
console.log('/data', (await ask('/data', 'POST')) !== undefined);
console.log('/parse', await ask('/parse'));
console.log('/answer', (await ask('/answer')) !== undefined);
console.log('/', await ask('/'));
const raw = net.connect(web.address().port, '127.0.0.1');
raw.write('{}\r\n\r\n');
raw.resume();
await once(raw, 'close');
web.close();
web.closeAllConnections();

fs.mkdirSync('watched');
const seen = [];
const watcher = fs.watch('watched', (event, name) => {
  const isFirst = seen.length === 0;
  if (!seen.includes(name)) seen.push(name);
  if (isFirst) throw new Error(`in watch ${name}`);
});
await pause(50);
fs.writeFileSync('watched/a', 'x');
await pause(150);
fs.writeFileSync('watched/b', 'x');
await pause(150);
console.log(seen);
watcher.close();
