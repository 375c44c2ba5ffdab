// What a server and a client make of messages that break the rules of HTTP/1.1, and of those that only seem to.
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { requests, responses } from './messages.mjs';

const listening = (server) => once(server.listen(0, '127.0.0.1'), 'listening');
// Where the parsers do not say the same: reasons that name parts of a version or of an extension.
const reasonOf = ({ code, message }) => (code === 'HPE_STRICT' || code === 'HPE_INVALID_VERSION' ? '' : message);

/** Sends `text` to a server that answers at the end of a request; resolves with the status lines and what the server saw. */
async function ask(text, { hasListener, isTrickled, isCut }) {
  const events = [];
  const server = http.createServer((request, response) => {
    const seen = [request.method, request.url, request.httpVersion, request.rawHeaders.join('|').slice(0, 80)];
    events.push(seen);
    let body = '';
    request.on('data', (data) => { body += data.toString('latin1'); });
    request.on('error', (error) => !hasListener && seen.push(error.code));
    request.on('end', () => {
      seen.push(body, request.rawTrailers.join('|'), request.complete);
      response.end('fine');
    });
  });
  if (hasListener) {
    server.on('clientError', (error, socket) => {
      events.push([error.name, error.code, reasonOf(error), Buffer.isBuffer(error.rawPacket), socket.writable]);
      socket.end('HTTP/1.1 418 Refused\r\n\r\n');
    });
  }
  await listening(server);
  let out = '';
  const socket = net.connect(server.address().port, '127.0.0.1');
  socket.setEncoding('latin1');
  socket.setNoDelay(true);
  // Ends its side once a request was answered; after an error the server does.
  socket.on('data', (data) => {
    out += data;
    if (/keep-alive/i.test(out)) socket.end();
  });
  socket.on('error', (error) => events.push(error.code));
  if (isTrickled) {
    for (const byte of Buffer.from(text, 'latin1')) {
      socket.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
  } else if (isCut) socket.end(text, 'latin1');
  else socket.write(text, 'latin1');
  await once(socket, 'close');
  server.close();
  const found = [...out.matchAll(/HTTP\/1\.1 (\d+) [^\r]*|(?:\r\n)connection: (\S+)/gi)].map(([, status, connection]) => status ?? connection);
  return [found.join(' '), events];
}

/** What a client sees of `text`. */
async function receive(text) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(text, 'latin1'));
  });
  await listening(server);
  const events = [];
  const closed = [];
  const request = http.get({ port: server.address().port, host: '127.0.0.1', agent: false });
  request.on('error', (error) => events.push([error.name, error.code, reasonOf(error)]));
  request.on('continue', () => events.push('continue'));
  request.on('upgrade', (_response, socket, head) => {
    events.push(`upgrade ${head}`);
    socket.destroy();
  });
  request.on('response', (response) => {
    const seen = [response.statusCode, response.statusMessage.slice(0, 20), response.httpVersion, response.rawHeaders.join('|').slice(0, 80)];
    events.push(seen);
    closed.push(new Promise((resolve) => response.on('close', resolve)));
    let body = '';
    response.on('data', (data) => { body += data; });
    response.on('error', (error) => seen.push(error.code, error.message));
    response.on('end', () => seen.push(body, response.rawTrailers.join('|')));
    response.on('close', () => seen.push(response.complete, response.aborted));
  });
  await new Promise((resolve) => request.on('close', resolve));
  await Promise.all(closed);
  server.close();
  return events;
}

async function each(title, cases, run) {
  console.log(title);
  const names = Object.keys(cases);
  const results = await Promise.all(names.map((name) => run(cases[name], name)));
  names.forEach((name, index) => console.log(JSON.stringify([name, results[index]])));
}

const isCut = (name) => name.endsWith('then the end');
await each('answers', requests, (text, name) => ask(text, { isCut: isCut(name) }));
await each('clientError', requests, (text, name) => ask(text, { isCut: isCut(name), hasListener: true }));
const whole = ['simple', 'tabs around a value', 'length', 'chunked', 'chunk extension', 'trailer'];
await each('byte by byte', Object.fromEntries(whole.map((name) => [name, requests[name]])), (text) => ask(text, { isTrickled: true }));
await each('responses', responses, receive);
