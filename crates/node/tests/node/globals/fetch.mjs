// `fetch` and its classes against the server of crates/node/tests/node/http_server.rs.
import { equal, failure, failures, ok, test } from './check.mjs';

const { TEST_SERVER: server, TEST_CLOSED_PORT: closedPort } = process.env;
const echo = async (init, path = '/echo') => (await fetch(server + path, init)).json();

test('a GET carries the headers Node sends', async () => {
  const { method, headers, body } = await echo({ headers: { 'X-Mine': 'yes', Accept: 'text/x' } });
  equal([method, body, headers['x-mine'], headers.accept], ['GET', '', 'yes', 'text/x']);
  equal([headers['accept-language'], headers['sec-fetch-mode']], ['*', 'cors']);
  ok(/^lmthing\//.test(headers['user-agent']));
  equal((await echo()).headers.accept, '*/*');
});

test('bodies bring their content type', async () => {
  const type = async (body, headers) => {
    const received = await echo({ method: 'POST', body, headers });
    return [received.body, received.headers['content-type'] ?? null, received.headers['content-length']];
  };
  equal(await type('täxt'), ['täxt', 'text/plain;charset=UTF-8', '5']);
  equal(await type('{}', { 'content-type': 'application/json' }), ['{}', 'application/json', '2']);
  equal(await type(new URLSearchParams({ a: 'b c' })), ['a=b+c', 'application/x-www-form-urlencoded;charset=UTF-8', '5']);
  equal(await type(new Uint8Array([104, 105])), ['hi', null, '2']);
  equal(await type(new Blob(['blob'], { type: 'text/css' })), ['blob', 'text/css', '4']);
  equal(await type(undefined), ['', null, '0']);
});

test('a form goes out as multipart and comes back', async () => {
  const form = new FormData();
  form.append('text', 'a\nb');
  form.append('file', new File(['content'], 'näme".txt', { type: 'text/plain' }));
  const received = await echo({ method: 'POST', body: form });
  const response = new Response(received.body, { headers: { 'content-type': received.headers['content-type'] } });
  const parsed = await response.formData();
  const file = parsed.get('file');
  equal([parsed.get('text'), file.name, file.type, await file.text()], ['a\r\nb', 'näme".txt', 'text/plain', 'content']);
  const encoded = await (await fetch(`${server}/form`)).formData();
  equal([...encoded], [['a', '1'], ['b', 'two words'], ['a', '3']]);
});

test('a streamed request body goes out part by part', async () => {
  const parts = ['first', 'second'];
  const body = new ReadableStream({
    pull(controller) {
      if (parts.length === 0) controller.close();
      else controller.enqueue(new TextEncoder().encode(parts.shift()));
    },
  });
  const received = await echo({ method: 'POST', body, duplex: 'half' });
  equal([received.body, received.chunks], ['firstsecond', [5, 6]]);
  async function* generate() {
    yield new TextEncoder().encode('generated');
  }
  equal((await echo({ method: 'PUT', body: generate(), duplex: 'half' })).body, 'generated');
});

test('a request stream that fails, fails the request', async () => {
  const body = new ReadableStream({
    pull() {
      throw new Error('broken source');
    },
  });
  const error = await failure(() => fetch(`${server}/echo`, { method: 'POST', body, duplex: 'half' }));
  equal([error.name, error.message, error.cause.message], ['TypeError', 'fetch failed', 'broken source']);
});

test('status, headers and url of an answer', async () => {
  const response = await fetch(`${server}/headers#fragment`);
  equal([response.status, response.ok, response.statusText, response.type], [200, true, 'OK', 'basic']);
  equal([response.url, response.redirected], [`${server}/headers`, false]);
  equal(response.headers.get('X-ONE'), '1, 2');
  equal(response.headers.getSetCookie(), ['a=1', 'b=2']);
  equal(response.bodyUsed, false);
  equal(await response.text(), 'marked'); // without the byte order mark
  equal(response.bodyUsed, true);
  ok((await failure(() => response.text())) instanceof TypeError);
  equal((await failure(() => response.headers.set('a', 'b'))).message, 'immutable');
  const missing = await fetch(`${server}/nothing`);
  equal([missing.status, missing.ok, missing.statusText], [404, false, 'Other']);
  equal((await fetch(`${server}/status/204`)).body, null);
  const head = await fetch(`${server}/status/204`, { method: 'HEAD' });
  equal([head.body, await head.text()], [null, '']);
});

test('a body arrives as it is sent', async () => {
  const response = await fetch(`${server}/chunks`);
  const parts = [];
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) parts.push(part);
  equal(parts, ['one ', 'two ', 'three']);
  const reader = (await fetch(`${server}/chunks`)).body.getReader();
  const { value } = await reader.read();
  ok(value instanceof Uint8Array);
  equal(new TextDecoder().decode(value), 'one ');
});

test('cancelling a body closes the connection', async () => {
  const response = await fetch(`${server}/endless`);
  const reader = response.body.getReader();
  await reader.read();
  await reader.cancel();
  equal((await reader.read()).done, true);
  equal(await (await fetch(`${server}/gone`)).text(), 'yes');
});

test('a body cut off is an error', async () => {
  const response = await fetch(`${server}/cut`);
  const error = await failure(() => response.text());
  equal([error.name, error.message, typeof error.cause.code], ['TypeError', 'terminated', 'string']);
});

test('gzip is decoded', async () => {
  equal(await (await fetch(`${server}/gzip`)).text(), 'compressed text');
});

test('every way to read a body', async () => {
  const get = () => fetch(`${server}/status/200`);
  equal(new Uint8Array(await (await get()).arrayBuffer()), new Uint8Array([98, 111, 100, 121]));
  equal(await (await get()).bytes(), new Uint8Array([98, 111, 100, 121]));
  const blob = await (await get()).blob();
  equal([blob.size, blob.type, await blob.text()], [4, 'text/plain', 'body']);
  const error = await failure(async () => (await get()).json());
  ok(error instanceof SyntaxError);
});

test('clone gives both the whole body', async () => {
  const response = await fetch(`${server}/chunks`);
  const copy = response.clone();
  equal(await Promise.all([response.text(), copy.text()]), ['one two three', 'one two three']);
  equal(copy.status, 200);
  ok((await failure(() => response.clone())) instanceof TypeError);
});

test('redirects change the method by the standard', async () => {
  for (const [status, method, expected] of [
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
    [302, 'GET', 'GET'],
  ]) {
    const body = method === 'GET' ? undefined : 'sent';
    const response = await fetch(`${server}/redirect/${status}`, { method, body });
    equal([response.redirected, response.url], [true, `${server}/echo?redirected`]);
    const received = await response.json();
    equal([status, received.method, received.body], [status, expected, expected === 'GET' ? '' : 'sent']);
    equal('content-type' in received.headers, expected !== 'GET');
  }
});

test('redirect: manual, error, loops and other schemes', async () => {
  const manual = await fetch(`${server}/redirect/302`, { redirect: 'manual' });
  equal([manual.status, manual.headers.get('location'), await manual.text()], [302, '/echo?redirected', 'moved']);
  const cause = async (path, init) => {
    const error = await failure(() => fetch(server + path, init));
    return [error.message, error.cause.message];
  };
  equal(await cause('/redirect/302', { redirect: 'error' }), ['fetch failed', 'unexpected redirect']);
  equal(await cause('/loop'), ['fetch failed', 'redirect count exceeded']);
  equal(await cause('/away'), ['fetch failed', 'URL scheme must be a HTTP(S) scheme']);
});

test('secrets do not follow to another origin', async () => {
  const init = { headers: { authorization: 'secret', cookie: 'a=b', 'x-other': 'kept' } };
  const secrets = ({ headers }) => [headers.authorization, headers.cookie, headers['x-other']];
  equal(secrets(await echo(init, '/redirect/307')), ['secret', 'a=b', 'kept']);
  const moved = await echo(init, '/elsewhere');
  ok(moved.headers.host.startsWith('localhost:'));
  equal(secrets(moved), [undefined, undefined, 'kept']);
});

test('failures say what happened', async () => {
  const refused = await failure(() => fetch(`http://127.0.0.1:${closedPort}/`));
  equal([refused.name, refused.message], ['TypeError', 'fetch failed']);
  equal([refused.cause.code, refused.cause.syscall], ['ECONNREFUSED', 'connect']);
  equal(refused.cause.message, `connect ECONNREFUSED 127.0.0.1:${closedPort}`);
  const tls = await failure(() => fetch(server.replace('http:', 'https:')));
  equal([tls.message, tls.cause instanceof Error], ['fetch failed', true]);
  equal((await failure(() => fetch('not a url'))).message, 'Failed to parse URL from not a url');
  equal((await failure(() => fetch('http://127.0.0.1:1/'))).cause.message, 'bad port');
  equal((await failure(() => fetch('foo:bar'))).cause.message, 'unknown scheme');
});

test('data: URLs', async () => {
  const response = await fetch('data:text/html;charset=utf-8,h%C3%A4');
  equal([response.headers.get('content-type'), await response.text()], ['text/html;charset=utf-8', 'hä']);
  equal(await (await fetch('data:;base64,aGk=')).text(), 'hi');
  equal((await fetch('data:,x')).headers.get('content-type'), 'text/plain;charset=US-ASCII');
  equal((await failure(() => fetch('data:nothing'))).cause.message, 'failed to fetch the data URL');
});

test('requests as objects', async () => {
  const request = new Request(`${server}/echo`, { method: 'post', body: 'x', headers: { a: 'b' } });
  equal([request.method, request.headers.get('A'), request.bodyUsed], ['POST', 'b', false]);
  equal((await (await fetch(request.clone())).json()).body, 'x');
  const received = await (await fetch(request, { headers: { a: 'c' } })).json();
  equal([received.method, received.body, received.headers.a], ['POST', 'x', 'c']);
  equal(request.bodyUsed, true);
  ok((await failure(() => fetch(request))) instanceof TypeError);
});

export default await failures();
