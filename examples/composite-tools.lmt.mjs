// Shows one tool that holds several: the model sends a list of calls and gets a list of results, in order. A call that
// fails, or names a tool that is not there, stops none of the others. Also shows the callbacks of a tool.
//
//   lmthing run examples/composite-tools.lmt.mjs

import { tool } from 'lmthing';
import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  {
    type: 'tool-call',
    toolCallId: 'call_1',
    toolName: 'files',
    args: {
      calls: [
        { name: 'write', args: { path: 'a.txt', text: 'hello' } },
        { name: 'read', args: { path: 'a.txt' } },
        { name: 'read', args: { path: 'secret.txt' } },
        { name: 'read', args: { path: 'b.txt' } },
        { name: 'remove', args: { path: 'a.txt' } },
      ],
    },
  },
  { type: 'text', text: 'a.txt says hello; there is no b.txt.' },
];

const files = new Map();

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTool, defEffect, $ }) => {
  defTool('files', 'Works with the files of this session.', [
    tool('write', 'Writes a file.', z.object({ path: z.string(), text: z.string() }), ({ path, text }) => {
      files.set(path, text);
      return { written: text.length };
    }),
    tool(
      'read',
      'Reads a file.',
      z.object({ path: z.string() }),
      ({ path }) => {
        if (!files.has(path)) throw new Error(`there is no ${path}`);
        return files.get(path);
      },
      {
        // An answer of beforeCall takes the place of running the tool.
        beforeCall: ({ path }) => (path.startsWith('secret') ? { refused: path } : undefined),
        // What onSuccess and onError return replaces the result; undefined keeps it.
        onSuccess: (input, output) => output.toUpperCase(),
        onError: ({ path }, { error }) => ({ error, hint: `write ${path} first` }),
      },
    ),
  ]);

  defEffect(({ lastTool }) => {
    for (const { name, result } of lastTool?.output.results ?? []) console.log(name, JSON.stringify(result));
  });

  $`Write hello into a.txt and read it back.`;
};
