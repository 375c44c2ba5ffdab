// TLS with a certificate of our own: servers and clients of tls and https.
import https from 'node:https';
import tls from 'node:tls';
import fs from 'node:fs';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => fs.readFileSync(new URL(name, import.meta.url)));
const server = https.createServer({ key, cert }, (request, response) => response.end(`${request.method} ${request.url} ${request.socket.encrypted}`));
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address();
const get = (options) => new Promise((done) => {
  https.get({ host: '127.0.0.1', port, path: '/a', agent: false, ...options }, async (response) => done([response.statusCode, await text(response), response.socket.authorized])).on('error', (error) => done([error.code, error.message]));
});
show('believed', await get({ ca: cert, servername: 'localhost' }));
show('not believed', await get({ servername: 'localhost' }));
show('whoever it is', (await get({ rejectUnauthorized: false })).slice(0, 2));
show('agent', (await get({ agent: new https.Agent({ ca: cert, servername: 'localhost' }) }))[1]);
server.closeAllConnections();
server.close();

const echo = tls.createServer({ key, cert, ALPNProtocols: ['own'] }, (socket) => socket.pipe(socket));
await once(echo.listen(0, '127.0.0.1'), 'listening');
const socket = tls.connect({ port: echo.address().port, host: '127.0.0.1', ca: cert, servername: 'localhost', ALPNProtocols: ['own'] });
await once(socket, 'secureConnect');
show('secure', [socket.encrypted, socket.authorized, socket.getProtocol(), socket.alpnProtocol, socket.getPeerCertificate().raw.length > 100]);
socket.end('over TLS');
show('echo', await text(socket));
echo.close();
