// Shows functions of an MCP server: the model writes TypeScript that calls them, with types from the server's schemas. A wrong call is
// refused before anything runs.
//
//     lmthing run examples/mcp-functions.lmt.mjs
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const config = { model: 'mock' };

const code = (text) => ({ type: 'tool-call', toolName: 'runToolCode', args: { code: text } });

export const mock = [
  code(`return await notes.read_file({ file: 'tasks.txt' });`),
  code(`const { files } = await notes.list_files({});
const texts = await Promise.all(files.map(({ name }) => notes.read_file({ name })));
return files.map(({ name }, index) => name + ': ' + texts[index].trim().split('\\n').length);`),
  { type: 'text', text: 'The tasks have the most lines.' },
];

export default async ({ defMcp, defEffect, $ }) => {
  const server = { command: 'node', args: [here('./servers/files.mjs'), here('./servers/notes')] };
  defMcp('notes', server, { as: 'functions' });
  defEffect(({ lastTool }) => {
    if (lastTool) console.log(lastTool.output.success ? lastTool.output.result.join(', ') : lastTool.output.errors[0].message.split('\n')[0]);
  });
  $`Which of the notes has the most lines?`;
};
