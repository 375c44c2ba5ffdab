// Requests and answers between a server and a client on this machine.
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const routes = {
  '/plain': (request, response) => response.end('plain'),
  '/headers': (request, response) => {
    response.setHeader('X-One', 1);
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.appendHeader('X-Many', 'a').appendHeader('x-many', 'b');
    response.writeHead(202, 'Fine', { 'Content-Type': 'text/x', 'x-two': ['p', 'q'] });
    response.end();
  },
  '/raw': (request, response) => response.end(JSON.stringify(request.rawHeaders)),
  '/chunks': (request, response) => {
    response.write('one,');
    setTimeout(() => response.end('two'), 10);
  },
  '/echo': async (request, response) => {
    const body = await text(request);
    response.end(JSON.stringify([request.method, request.headers['content-length'] ?? null, request.headers['transfer-encoding'] ?? null, body]));
  },
  '/trailers': (request, response) => {
    response.writeHead(200, { Trailer: 'X-End' });
    response.write('body');
    response.addTrailers({ 'X-End': 'yes' });
    response.end();
  },
  '/empty': (request, response) => {
    response.statusCode = 204;
    response.end();
  },
  '/hang': () => {},
  '/cut': (request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('partial');
    setTimeout(() => response.destroy(), 20);
  },
  '/sent': (request, response) => {
    response.flushHeaders();
    response.end(JSON.stringify([response.headersSent, fails(() => response.setHeader('a', 'b')), fails(() => response.writeHead(200))]));
  },
  '/big': (request, response) => pipeline(Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(20000, 'x'))), response),
};
const server = http.createServer((request, response) => (routes[request.url.split('?')[0]] ?? ((_, unknown) => { unknown.writeHead(404); unknown.end('no'); }))(request, response));
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address();
const base = `http://127.0.0.1:${port}`;

const send = async (path, options = {}, body = undefined) => {
  const request = http.request(`${base}${path}`, options);
  request.end(body);
  const [response] = await once(request, 'response');
  const content = await text(response);
  return { response, content };
};
const without = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date').map(([name, value]) => [name, name === 'host' ? 'host' : value]));

const plain = await send('/plain');
show('plain', [plain.response.statusCode, plain.response.statusMessage, plain.content, without(plain.response.headers), plain.response.httpVersion, plain.response.complete]);
const headers = await send('/headers');
show('headers', [headers.response.statusCode, headers.response.statusMessage, without(headers.response.headers), headers.response.rawHeaders.filter((item) => /^x-/i.test(item)), headers.response.headersDistinct['x-many']]);
show('raw', JSON.parse((await send('/raw', { headers: { 'X-Case': 'Kept', cookie: ['a=1', 'b=2'], 'x-list': ['1', '2'] } })).content).map((item) => item.replace(/:\d+$/, '')));
show('agentless', JSON.parse((await send('/raw', { agent: false })).content).slice(2));
show('closing', JSON.parse((await send('/raw', { agent: new http.Agent() })).content).slice(2));
show('chunks', [(await send('/chunks')).content, without((await send('/chunks')).response.headers)]);
show('echo', [JSON.parse((await send('/echo', { method: 'POST' }, 'whole ü')).content), JSON.parse((await send('/echo', { method: 'PUT', headers: { 'content-length': 3 } }, 'abc')).content), JSON.parse((await send('/echo', { method: 'POST' })).content), JSON.parse((await send('/echo')).content), JSON.parse((await send('/echo', { method: 'DELETE', headers: { 'content-length': 2 } }, 'de')).content)]);
const streamed = http.request(`${base}/echo`, { method: 'POST' });
await pipeline(Readable.from(['part ', 'by ', 'part']), streamed);
show('piped', await (async () => JSON.parse(await text(streamed.res ?? (await once(streamed, 'response'))[0])))().catch((error) => error.message));
const trailers = await send('/trailers');
show('trailers', [trailers.content, trailers.response.trailers, trailers.response.rawTrailers]);
const empty = await send('/empty');
show('empty', [empty.response.statusCode, without(empty.response.headers)]);
const head = await send('/plain', { method: 'HEAD' });
show('head', [head.content, without(head.response.headers)]);
show('missing', (await send('/none')).content);
show('sent', JSON.parse((await send('/sent')).content));
show('big', (await send('/big')).content.length);
const cut = await once(http.get(`${base}/cut`), 'response');
show('cut', await text(cut[0]).catch((error) => [error.code, error.message, cut[0].complete, cut[0].aborted]));
show('timeout', await new Promise((done) => {
  const request = http.get(`${base}/hang`, { timeout: 30 });
  request.on('timeout', () => request.destroy(new Error('too slow')));
  request.on('error', (error) => done([error.message, error.code, request.destroyed]));
}));
show('destroyed', await new Promise((done) => {
  const request = http.get(`${base}/hang`);
  request.on('error', (error) => done([error.message, error.code]));
  setTimeout(() => request.destroy(), 20);
}));
const stop = new AbortController();
setTimeout(() => stop.abort(), 20);
show('aborted', await once(http.get(`${base}/hang`, { signal: stop.signal }), 'response').catch((error) => [error.name, error.code]));
show('hung up', await new Promise((done) => {
  const rude = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1', () => {
    http.get({ port: rude.address().port, host: '127.0.0.1' }).on('error', (error) => { rude.close(); done([error.code, ['socket hang up', 'read ECONNRESET'].includes(error.message)]); });
  });
}));
show('nonsense', await new Promise((done) => {
  const odd = net.createServer((socket) => socket.end('SSH-2.0-x\r\n\r\n')).listen(0, '127.0.0.1', () => {
    http.get({ port: odd.address().port, host: '127.0.0.1' }).on('error', (error) => { odd.close(); done([error.code, error.message]); });
  });
}));
show('refused', await new Promise((done) => {
  http.get('http://127.0.0.1:1/').on('error', (error) => done([error.message, error.code, error.errno, error.syscall, error.address, error.port]));
}));
show('wrong', [
  fails(() => http.request('nonsense')),
  fails(() => http.request('https://x/')),
  fails(() => http.request({ method: 'A B' })),
  fails(() => http.request({ path: '/a b' })),
  fails(() => http.request({ headers: { 'bad name': 'x' } })),
  fails(() => http.request({ headers: { name: 'a\nb' } })),
  fails(() => http.request({ headers: { name: undefined } })),
  fails(() => http.validateHeaderName('a b')),
  fails(() => http.validateHeaderValue('a', undefined)),
]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const ports = [];
for (let i = 0; i < 3; i++) {
  const request = http.get(`${base}/plain`, { agent });
  const [response] = await once(request, 'response');
  ports.push(response.socket.localPort);
  await text(response);
  await new Promise((done) => setImmediate(done));
}
show('kept alive', [new Set(ports).size, Object.keys(agent.freeSockets).length, Object.keys(agent.sockets).length]);
show('queued', (await Promise.all([1, 2, 3].map(() => send('/plain', { agent })))).map(({ content }) => content));
agent.destroy();

const line = net.connect(port, '127.0.0.1');
line.setEncoding('utf8');
line.write('GET /plain HTTP/1.1\r\nHost: x\r\n\r\nGET /plain?2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
show('pipelined', (await text(line)).replace(/Date: .*\r\n/g, ''));
const bad = net.connect(port, '127.0.0.1');
bad.write('nonsense\r\n\r\n');
show('bad request', await text(bad));
const old = net.connect(port, '127.0.0.1');
old.write('GET /chunks HTTP/1.0\r\n\r\n');
show('old', (await text(old)).replace(/Date: .*\r\n/g, ''));

server.on('upgrade', (request, socket, first) => {
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: own\r\nConnection: Upgrade\r\n\r\nhello ${first}`);
  socket.on('data', (data) => socket.end(`got ${data}`));
});
const upgrade = http.request(`${base}/socket`, { headers: { Connection: 'Upgrade', Upgrade: 'own' } });
upgrade.end();
const [answer, socket, first] = await once(upgrade, 'upgrade');
socket.write('bytes');
show('upgrade', [answer.statusCode, answer.headers.upgrade, String(first) + (await text(socket))]);
const expecting = http.request(`${base}/echo`, { method: 'POST', headers: { Expect: '100-continue' } });
await once(expecting, 'continue');
expecting.end('after continue');
show('continue', JSON.parse(await text((await once(expecting, 'response'))[0])));
show('names', [http.STATUS_CODES[418], http.METHODS.length, http.maxHeaderSize, http.globalAgent.keepAlive]);
show('closed', await new Promise((done) => server.close((error) => done([error ?? null, server.listening, server.address()]))));
show('again', await new Promise((done) => server.close((error) => done(error.code))));
