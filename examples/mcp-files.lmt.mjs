// Shows tools of an MCP server: the model lists and reads files. The server is a program beside this file; any other would do:
// { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }.
//
//     lmthing run examples/mcp-files.lmt.mjs
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const config = {
  model: 'mock',
  mcpServers: { notes: { command: 'node', args: [here('./servers/files.mjs'), here('./servers/notes')] } },
};

export const mock = [
  { type: 'tool-call', toolName: 'notes_list-files', args: {} },
  { type: 'tool-call', toolName: 'notes_read-file', args: { name: 'shopping.txt' } },
  { type: 'tool-call', toolName: 'notes_read-file', args: { file: 'tasks.txt' } },
  { type: 'text', text: 'There is milk, bread and a lamp to buy.' },
];

export default async ({ defMcp, defEffect, $ }) => {
  // The connection is made before the first step, and ends with the run.
  defMcp('notes', 'notes', { include: ['list-*', 'read-*'] });
  defEffect(({ lastTool }) => {
    if (lastTool) console.log(lastTool.toolName, JSON.stringify(lastTool.output));
  });
  $`What do I have to buy?`;
};
