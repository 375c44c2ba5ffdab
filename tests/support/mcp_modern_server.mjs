// A server of version 2026-07-28 of the Model Context Protocol alone, for tests: plain Node, no packages. Over its standard input and
// output, or over HTTP with `--http`, which prints the address. `--set name=value`: `refusal` is the code that `initialize` gets,
// `versions` are those it says it speaks, `log` is a file for what it gets.
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const settings = { refusal: '-32022', versions: '2026-07-28' };
for (let at = 2; at < process.argv.length; at++) {
  if (process.argv[at] === '--http') settings.http = true;
  if (process.argv[at] === '--set') {
    const [name, ...value] = process.argv[++at].split('=');
    settings[name] = value.join('=');
  }
}
const log = (line) => settings.log && appendFileSync(settings.log, `${line}\n`);
const key = (name) => `io.modelcontextprotocol/${name}`;
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });
const text = (text) => ({ content: [{ type: 'text', text }] });
const failure = (code, message, data) => Object.assign(new Error(message), { code, data });

/** One function for each subscription: sends a notification. */
const subscriptions = new Map();

const tools = {
  sum: { inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }), call: ({ a, b }) => text(String(a + b)) },
  ask: { inputSchema: object({}), call: () => ({ resultType: 'input_required', inputRequests: { a: { method: 'roots/list', params: {} } } }) },
  grow: {
    inputSchema: object({}),
    call: () => {
      tools.late = { inputSchema: object({}), call: () => text('late') };
      for (const notify of subscriptions.values()) notify('notifications/tools/list_changed', {});
      return text('grown');
    },
  },
  slow: {
    inputSchema: object({}),
    call: (_, { token, notify, ended }) =>
      new Promise((done) => {
        notify('notifications/progress', { progressToken: token, progress: 1, message: 'slowly' });
        const timer = setTimeout(() => done(text('slow')), 60_000);
        ended(() => {
          clearTimeout(timer);
          log('slow was cancelled');
        });
      }),
  },
};

const methods = {
  'server/discover': () => ({
    supportedVersions: settings.versions.split(','),
    capabilities: { tools: { listChanged: true } },
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { inputSchema }]) => ({ name, inputSchema })),
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/call': ({ name, arguments: args, _meta }, connection) => tools[name].call(args, { token: _meta.progressToken, ...connection }),
  'subscriptions/listen': ({ notifications }, { id, notify, ended }) =>
    new Promise(() => {
      const about = (method, params) => notify(method, { ...params, _meta: { [key('subscriptionId')]: id } });
      subscriptions.set(id, about);
      ended(() => subscriptions.delete(id));
      about('notifications/subscriptions/acknowledged', { notifications });
    }),
};

/** The answer to a request. `send` takes notifications before it, `ended` a function to call when the client cancels. */
async function answer({ id, method, params }, send, ended) {
  log(method);
  try {
    const supported = settings.versions.split(',');
    const version = params?._meta?.[key('protocolVersion')];
    if (method === 'initialize') throw failure(Number(settings.refusal), 'there is no handshake', { supported });
    if (!methods[method]) throw failure(-32601, 'no such method');
    if (!params._meta?.[key('clientCapabilities')]) throw failure(-32602, 'the request does not say who asks');
    if (!supported.includes(version)) throw failure(-32022, 'no such version', { supported, requested: version });
    const notify = (method, params) => send({ jsonrpc: '2.0', method, params });
    const result = await methods[method](params, { id, notify, ended });
    return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
  } catch ({ code = -32603, message, data }) {
    return { jsonrpc: '2.0', id, error: { code, message, data } };
  }
}

if (settings.http) serveHttp();
else serveStdio();

function serveStdio() {
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const cancels = new Map();
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const message = JSON.parse(line);
    if (message.method === 'notifications/cancelled') cancels.get(message.params.requestId)?.();
    if (message.id === undefined) return;
    send(await answer(message, send, (cancel) => cancels.set(message.id, cancel)));
    // As some programs do.
    if (message.method === 'initialize') process.exit(0);
  });
}

function serveHttp() {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const piece of request) body += piece;
    const message = JSON.parse(body);
    const wanted = { 'mcp-protocol-version': message.params?._meta?.[key('protocolVersion')], 'mcp-method': message.method };
    if (message.method === 'tools/call') wanted['mcp-name'] = message.params.name;
    const wrong = Object.keys(wanted).find((name) => request.headers[name] !== wanted[name]);
    const reply = (status, message) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method !== 'initialize' && (wrong || request.headers['mcp-session-id'])) {
      return reply(400, { jsonrpc: '2.0', id: message.id, error: { code: -32020, message: `wrong header: ${wrong}` } });
    }
    const send = (message) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(message)}\n\n`);
    };
    const ended = (cancel) => response.on('close', () => response.writableFinished || cancel());
    const answered = await answer(message, send, ended);
    if (response.headersSent) return response.end(`data: ${JSON.stringify(answered)}\n\n`);
    reply(answered.error ? 400 : 200, answered);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
