// A small server of the Model Context Protocol for tests: plain Node, no packages. Over its standard input and output, or over HTTP
// with `--http`, which prints the address. `--set name=value` sets what is odd about it.
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const settings = {};
for (let at = 2; at < process.argv.length; at++) {
  if (process.argv[at] === '--set') {
    const [name, ...value] = process.argv[++at].split('=');
    settings[name] = value.join('=') || true;
  } else if (process.argv[at] === '--http') {
    settings.http = true;
  }
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const text = (text) => ({ content: [{ type: 'text', text }] });

const tools = {
  sum: {
    description: 'Adds two numbers',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
    outputSchema: object({ sum: { type: 'number' } }),
    call: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  },
  echo: {
    description: 'Says it again',
    inputSchema: object({ text: { type: 'string' } }),
    call: (args) => text(args.text),
  },
  'get-thing': { description: 'Has a name of its own', inputSchema: object({}), call: () => text('thing') },
  fail: {
    description: 'Fails',
    inputSchema: object({}),
    call: () => ({ ...text('it is broken'), isError: true }),
  },
  refuse: {
    description: 'Is refused',
    inputSchema: object({}),
    call: () => {
      throw new Error('refused by the server');
    },
  },
  picture: {
    description: 'Shows a picture',
    inputSchema: object({}),
    call: () => ({ content: [{ type: 'text', text: 'look' }, { type: 'image', data: PIXEL, mimeType: 'image/png' }] }),
  },
  large: { description: 'Gives much', inputSchema: object({ size: { type: 'integer' } }), call: ({ size }) => text('x'.repeat(size)) },
  liar: {
    description: 'Promises a number',
    inputSchema: object({}),
    outputSchema: object({ n: { type: 'number' } }),
    call: () => ({ ...text('no'), structuredContent: { n: 'none' } }),
  },
  die: { description: 'Dies', inputSchema: object({}), call: () => process.exit(7) },
  pid: { description: 'Who it is', inputSchema: object({}), call: () => text(String(process.pid)) },
  environment: {
    description: 'What it was given',
    inputSchema: object({ name: { type: 'string' } }),
    call: ({ name }) => text(process.env[name] ?? '(unset)'),
  },
  read: {
    description: 'Reads a file',
    inputSchema: object({ path: { type: 'string' } }),
    call: ({ path }) => {
      try {
        return text(readFileSync(path, 'utf8'));
      } catch (error) {
        return text(error.code);
      }
    },
  },
  leave: {
    description: 'Starts something that would outlive it',
    inputSchema: object({}),
    call: () => text(String(spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).pid)),
  },
  ask: {
    description: 'Asks the client',
    inputSchema: object({ method: { type: 'string' }, params: {} }, ['method']),
    call: async ({ method, params }) => {
      const { error, result } = await request(method, params);
      return text(JSON.stringify(error ?? result));
    },
  },
  tell: {
    description: 'Tells much: as messages of its log, as progress and on its standard error',
    inputSchema: object({ count: { type: 'integer' } }),
    call: async ({ count }, { progressToken }) => {
      for (let number = 0; number < count; number++) {
        notify('notifications/message', { level: 'info', data: `message ${number}` });
        notify('notifications/progress', { progressToken, progress: number, total: count });
        const isFull = !process.stderr.write(`${'told '.repeat(20)}\n`);
        if (isFull || number % 1000 === 0) await new Promise((done) => setImmediate(done));
      }
      return text('told');
    },
  },
  grow: {
    description: 'Brings another tool',
    inputSchema: object({}),
    call: () => {
      tools.late = { description: 'Came late', inputSchema: object({}), call: () => text('late') };
      delete tools.grow;
      notify('notifications/tools/list_changed');
      return text('grown');
    },
  },
  slow: {
    description: 'Takes its time',
    inputSchema: object({ ms: { type: 'number' } }),
    call: async ({ ms }, { progressToken }) => {
      for (let step = 1; step <= 3; step++) {
        if (progressToken !== undefined) {
          notify('notifications/progress', { progressToken, progress: step, total: 3, message: `step ${step}` });
        }
        await new Promise((done) => setTimeout(done, ms / 3));
      }
      return text('slow');
    },
  },
};
if (settings.only) {
  for (const name of Object.keys(tools)) if (!settings.only.split(',').includes(name)) delete tools[name];
}
for (let number = 0; number < Number(settings.many ?? 0); number++) {
  tools[`tool_${number}`] = {
    description: `Does the thing with the number ${number}, in some detail`,
    inputSchema: object({ [`field${number}`]: { type: 'string', description: 'What to do it with' }, count: { type: 'integer' } }, [`field${number}`]),
    outputSchema: object({ [`result${number}`]: { type: 'number' } }),
    call: () => ({ ...text('{}'), structuredContent: { [`result${number}`]: number } }),
  };
}

let send = () => {};
const notify = (method, params) => send({ jsonrpc: '2.0', method, params });
const asked = new Map();
const request = (method, params) => {
  const id = `asked-${asked.size}`;
  send({ jsonrpc: '2.0', id, method, params });
  return new Promise((done) => asked.set(id, done));
};
const log = (line) => settings.log && appendFileSync(settings.log, `${line}\n`);

const methods = {
  initialize: ({ protocolVersion }) => {
    if (settings.mute === 'initialize') return new Promise(() => {});
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      serverInfo: { name: 'test', version: '1' },
    };
  },
  ping: () => ({}),
  'tools/list': ({ cursor } = {}) => {
    const all = Object.entries(tools).map(([name, { call, ...tool }]) => ({ name, ...tool }));
    if (settings.odd) {
      all.push({ name: 'no-schema', inputSchema: 'text' }, { name: 'bad-type', inputSchema: { type: 'objekt' } }, { name: 5 });
    }
    const from = Number(cursor ?? 0);
    const page = Number(settings.page ?? 1e6);
    return { tools: all.slice(from, from + page), nextCursor: from + page < all.length ? String(from + page) : undefined };
  },
  'tools/call': async ({ name, arguments: args, _meta }) => {
    log(`call ${name} ${JSON.stringify(args)}`);
    if (!tools[name]) throw new Error(`unknown tool ${name}`);
    return tools[name].call(args ?? {}, { progressToken: _meta?.progressToken });
  },
  'resources/list': () => ({ resources: [{ uri: 'test:readme', name: 'readme' }] }),
  'resources/read': ({ uri }) => {
    if (uri === 'test:readme') return { contents: [{ uri, mimeType: 'text/plain', text: 'Read me.' }] };
    if (uri === 'test:pixel') return { contents: [{ uri, mimeType: 'image/png', blob: PIXEL }] };
    throw new Error(`no resource ${uri}`);
  },
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
  'prompts/get': ({ name, arguments: args }) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: `${name} ${args?.who ?? 'nobody'}` } },
      { role: 'assistant', content: { type: 'text', text: 'Hello.' } },
    ],
  }),
};

const answer = async (message) => {
  if (message.method?.startsWith('notifications/')) log(message.method);
  if (message.id !== undefined && !message.method) asked.get(message.id)?.(message);
  if (message.id === undefined || !message.method) return undefined;
  try {
    if (!methods[message.method]) return { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } };
    return { jsonrpc: '2.0', id: message.id, result: await methods[message.method](message.params) };
  } catch (error) {
    return { jsonrpc: '2.0', id: message.id, error: { code: -32603, message: error.message } };
  }
};

if (settings.http) serveHttp();
else serveStdio();

function serveStdio() {
  if (settings.say) console.error(settings.say);
  if (settings.pidfile) writeFileSync(settings.pidfile, String(process.pid));
  if (settings.exit) process.exit(Number(settings.exit));
  if (settings.stubborn) {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
  }
  send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  if (settings.noise) process.stdout.write('this is no JSON\n\n{"jsonrpc":"2.0"}\n[]\n');
  const lines = createInterface({ input: process.stdin }).on('line', async (line) => {
    const message = await answer(JSON.parse(line));
    if (message) send(message);
    // It reads no more, and does not end either.
    if (settings.deaf && line.includes('tools/list')) {
      lines.pause();
      setInterval(() => {}, 1000);
    }
  });
}

function serveHttp() {
  let session = 0;
  const streams = new Set();
  send = (message) => streams.forEach((stream) => stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
  const server = createServer(async (request, response) => {
    log(`${request.method} ${request.headers['mcp-session-id'] ?? '-'}`);
    const reply = (status, body = '', headers = {}) => response.writeHead(status, headers).end(body);
    if (settings.token && request.headers.authorization !== `Bearer ${settings.token}`) return reply(401, 'who are you?');
    if (settings.status) return reply(Number(settings.status), '<html>A page\nfor people</html>', { 'content-type': 'text/html', location: '/there' });
    if (request.method === 'DELETE') return reply(200);
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      streams.add(response);
      return response.on('close', () => streams.delete(response));
    }
    const message = JSON.parse(await new Promise((done) => {
      let body = '';
      request.on('data', (piece) => (body += piece)).on('end', () => done(body));
    }));
    const first = message.method === 'initialize';
    if (!first && request.headers['mcp-session-id'] !== `s${session}`) return reply(404, 'no such session');
    if (first) session += 1;
    // Once: the session is forgotten.
    if (settings.forgets && message.method === 'tools/call') {
      settings.forgets = false;
      session += 1;
      return reply(404, 'no such session');
    }
    const headers = { 'mcp-session-id': `s${session}` };
    if (settings.sse && message.id !== undefined) {
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      const before = send;
      send = (message) => response.write(`data: ${JSON.stringify(message)}\n\n`);
      const answered = await answer(message);
      send = before;
      return response.end(`data: ${JSON.stringify(answered)}\n\n`);
    }
    const answered = await answer(message);
    if (!answered) return reply(202);
    return reply(200, JSON.stringify(answered), { ...headers, 'content-type': 'application/json' });
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
