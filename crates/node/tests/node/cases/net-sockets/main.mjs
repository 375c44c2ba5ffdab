// Plain sockets: events, halves, timeouts, errors, files as addresses; names to addresses.
import net from 'node:net';
import dns from 'node:dns';
import fs from 'node:fs';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const server = net.createServer({ allowHalfOpen: true }, (socket) => {
  let all = '';
  socket.on('data', (data) => { all += data; });
  socket.on('end', () => socket.end(`you said ${all}`));
});
server.listen(0, '127.0.0.1', () => show('listening', [server.listening, server.address().family, server.address().address]));
await once(server, 'listening');
const { port } = server.address();
const events = [];
const socket = net.createConnection({ port, host: '127.0.0.1' }, () => events.push('callback'));
show('before', [socket.connecting, socket.pending, socket.readyState, socket.remoteAddress ?? null, socket instanceof net.Socket]);
for (const name of ['lookup', 'connect', 'ready', 'data', 'end', 'close', 'finish']) socket.on(name, () => events.push(name));
socket.write('hello');
await once(socket, 'connect');
show('connected', [socket.connecting, socket.readyState, socket.remoteAddress, socket.remotePort === port, socket.remoteFamily, socket.localAddress, typeof socket.localPort, Object.keys(socket.address())]);
socket.end(' there');
await once(socket, 'close');
show('events', events.filter((name) => name !== 'lookup'));
show('counts', [socket.bytesRead, socket.bytesWritten, socket.destroyed, socket.readyState]);

const idle = net.connect(port, '127.0.0.1');
idle.setTimeout(30, () => {
  show('timeout', idle.timeout);
  idle.destroy();
});
show('closed with', (await once(idle, 'close'))[0]);
const broken = net.connect(1, '127.0.0.1');
broken.on('close', (hadError) => show('had error', hadError));
const [refused] = await once(broken, 'error');
show('refused', [refused.message, refused.code, refused.errno, refused.syscall, refused.address, refused.port]);
await once(broken, 'close').catch(() => {});
show('wrong', [fails(() => net.connect(70000)), fails(() => net.connect({})), fails(() => net.createServer().listen(-1)), fails(() => new net.Socket().setTimeout('x'))]);
const taken = net.createServer();
taken.listen(port, '127.0.0.1');
const [inUse] = await once(taken, 'error');
show('in use', [inUse.message.replace(String(port), 'PORT'), inUse.code, inUse.errno, inUse.syscall, inUse.address]);
await new Promise((done) => setTimeout(done, 50));
const count = await new Promise((done) => server.getConnections((error, connections) => done(connections)));
show('connections', count);
await new Promise((done) => server.close(done));
show('closed', [server.listening, await new Promise((done) => server.close((error) => done([error.code, error.message])))]);

const path = `${process.cwd()}/s.sock`;
const local = net.createServer((peer) => peer.end('over a file'));
await once(local.listen(path), 'listening');
show('path', [local.address() === path, fs.statSync(path).isSocket(), await text(net.connect(path))]);
await new Promise((done) => local.close(done));
show('path is gone', fs.existsSync(path));
const [nobody] = await once(net.connect(`${path}.none`), 'error');
show('no path', [nobody.code, nobody.syscall, nobody.address === `${path}.none`]);

const big = net.createServer((peer) => {
  for (let i = 0; i < 100; i++) peer.write(Buffer.alloc(10000, 'x'));
  peer.end();
});
await once(big.listen(0, '127.0.0.1'), 'listening');
show('big', (await text(net.connect(big.address().port, '127.0.0.1'))).length);
big.close();
const quiet = net.createServer((peer) => peer.unref()).listen(0);
await once(quiet, 'listening');
const unreferenced = net.connect(quiet.address().port, '127.0.0.1').unref();
await once(unreferenced, 'connect');
quiet.unref();

show('isIP', [net.isIP('127.0.0.1'), net.isIP('::1'), net.isIP('x'), net.isIP('1.2.3'), net.isIP('fe80::1%eth0'), net.isIPv4('1.2.3.4'), net.isIPv6('::'), net.isIP('')]);
const found = await dns.promises.lookup('localhost', { family: 4 });
show('lookup', [found, await dns.promises.lookup('127.0.0.1'), await new Promise((done) => dns.lookup('127.0.0.1', (...values) => done(values))), await dns.promises.lookup('::1', { all: true })]);
show('not found', await dns.promises.lookup('no-such-name.invalid').catch((error) => [error.code, error.syscall, error.hostname, error.message.startsWith('getaddrinfo E')]));
