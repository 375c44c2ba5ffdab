// Shows approvals: a tool that changes something waits until somebody has said yes.
//
// `needsApproval` is true, or a function of the arguments. On a terminal the run asks; elsewhere the call is denied unless
// --approve names the tool. The model is told of a denial and can go on with something else.
//
//   lmthing run examples/approve.lmt.mjs
//   lmthing run --approve 'remove*' examples/approve.lmt.mjs

import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'text', text: 'I look first.\n' },
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'list', args: {} },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'remove', args: { names: ['draft.txt'] } },
  { type: 'tool-call', toolCallId: 'call_3', toolName: 'remove', args: { names: ['letter.txt', 'taxes.ods'] } },
  { type: 'text', text: 'That is as far as I get.' },
];

const files = new Set(['draft.txt', 'letter.txt', 'taxes.ods']);

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTool, $ }) => {
  defTool('list', 'Lists the files.', z.object({}), () => [...files]);

  defTool(
    'remove',
    'Removes files for good.',
    z.object({ names: z.array(z.string()).min(1) }),
    ({ names }) => {
      names.forEach((name) => files.delete(name));
      console.log(`removed ${names.join(', ')}`);
      return { left: files.size };
    },
    // Drafts are nobody's loss.
    { needsApproval: ({ names }) => names.some((name) => !name.startsWith('draft')) },
  );

  $`Tidy up.`;
};
