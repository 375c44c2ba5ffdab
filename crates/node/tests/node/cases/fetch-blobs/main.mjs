// URLs of blobs, parts of them, and what a request for a part accepts.
import http from 'node:http';
import { once } from 'node:events';

const tell = async (input, init) => {
  try {
    const answer = await fetch(input, init);
    return [answer.status, answer.statusText, answer.url.slice(0, 14), answer.type, answer.redirected, await answer.text()];
  } catch (error) {
    return [error.name, error.message];
  }
};
const url = URL.createObjectURL(new Blob(['hello'], { type: 'text/plain' }));
console.log(await tell(url));
console.log((await (await fetch(url)).blob()).type, [...(await fetch(url)).headers]);
console.log(await tell(url, { method: 'POST' }));
// Which bytes these are, Node counts otherwise than the standard.
for (const range of ['bytes=1-2', 'bytes=-2', 'bytes=0-99']) console.log(range, (await tell(url, { headers: { range } })).slice(0, 5));
for (const range of ['bytes=9-', 'bytes=-', 'lines=1-2', 'bytes=3-1']) console.log(range, (await tell(url, { headers: { range } }))[0]);
URL.revokeObjectURL(url);
console.log(await tell(url));
try {
  URL.revokeObjectURL();
} catch (error) {
  console.log(error.code);
}
const server = http.createServer((request, response) => response.end(JSON.stringify([request.headers['accept-encoding'], request.headers.range])));
await once(server.listen(0, '127.0.0.1'), 'listening');
const base = `http://127.0.0.1:${server.address().port}`;
for (const headers of [{}, { range: 'bytes=0-5' }]) console.log(await (await fetch(base, { headers })).text());
server.close();
server.closeAllConnections();
