// The official client, which uses every feature of `lmthing mcp` and prints the results as JSON. Its argument says how to
// connect: {command, args} or {url, token}.
import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const place = JSON.parse(process.argv[2]);

async function connect() {
  const headers = place.token ? { Authorization: `Bearer ${place.token}` } : {};
  const transport = place.url
    ? new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers } })
    : new StdioClientTransport({ command: place.command, args: place.args, stderr: 'ignore' });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return [client, transport];
}

const [client, transport] = await connect();
const seen = { server: client.getServerVersion().name, capabilities: client.getServerCapabilities() };
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

const { tools } = await client.listTools();
seen.tools = tools.map((tool) => tool.name).sort();
seen.text = await call('greet', { name: 'Ada' });
seen.data = await call('weather', { city: 'Rome' });
seen.wrong = await call('greet', { name: 5 });
seen.unknown = await call('great', {}).then(String, (error) => error.code);

seen.progress = [];
await call('steps', {}, { onprogress: ({ progress, message }) => seen.progress.push([progress, message]) });

const aborting = new AbortController();
const endless = call('endless', {}, { signal: aborting.signal, onprogress: () => aborting.abort('never mind') });
const late = setTimeout(() => aborting.abort('never mind'), 1500);
seen.cancelled = await endless.then(() => 'answered', () => 'cancelled');
clearTimeout(late);

const crash = call('crash', { how: 'kill' });
const many = await Promise.all(Array.from({ length: 20 }, (_, n) => call('count', { n })));
seen.many = many.every((result, n) => result.structuredContent.n === n);
seen.crash = (await crash).isError;

const changed = new Promise((done) => client.setNotificationHandler(ToolListChangedNotificationSchema, done));
writeFileSync('served/late.lmt.mjs', "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'late' }];\nexport default async ({ $ }) => { $`go`; };\n");
await changed;
seen.late = (await client.listTools()).tools.some((tool) => tool.name === 'late') && (await call('late', {})).content[0].text;

// A second client in parallel.
const [other] = await connect();
seen.other = (await other.callTool({ name: 'greet', arguments: { name: 'Bob' } })).content[0].text;
await other.close();
await transport.terminateSession?.();
await client.close();
console.log(JSON.stringify(seen));
