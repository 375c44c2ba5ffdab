// A server of the Model Context Protocol without any package: it lists and reads the files of one folder, for the examples
// mcp-files and mcp-functions. It speaks over its standard input and output, one JSON message a line.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv[2] ?? '.';
const file = { type: 'object', properties: { name: { type: 'string' }, bytes: { type: 'integer' } }, required: ['name', 'bytes'] };

const tools = [
  {
    name: 'list-files',
    description: 'Lists the files of the folder.',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object', properties: { files: { type: 'array', items: file } }, required: ['files'] },
    run: () => {
      const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile()).sort();
      const files = names.map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
      return { content: [{ type: 'text', text: JSON.stringify({ files }) }], structuredContent: { files } };
    },
  },
  {
    name: 'read-file',
    description: 'Gives the text of a file.',
    inputSchema: { type: 'object', properties: { name: { type: 'string', description: 'As list-files has it' } }, required: ['name'] },
    run: ({ name }) => {
      // A name, and no way out of the folder.
      const text = readFileSync(join(folder, basename(name)), 'utf8');
      return { content: [{ type: 'text', text }] };
    },
  },
];

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1.0.0' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: tools.map(({ run, ...tool }) => tool) }),
  'tools/call': ({ name, arguments: args }) => {
    try {
      return tools.find((tool) => tool.name === name).run(args ?? {});
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = methods[method] ? { result: methods[method](params ?? {}) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
