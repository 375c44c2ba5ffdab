// Shows a prompt whose requests repeat those before, so that a provider's prompt cache reads nearly all of them:
//
// - what stays the same comes first: tools, then the handbook
// - the date is in a message, which is written once
// - notes are results of a tool, which come at the end of the conversation
//
//   lmthing run examples/prompt-cache.lmt.mjs
//   lmthing check --cache examples/prompt-cache.lmt.mjs

import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  ...['asked for the receipt', 'checked the date'].map((text) => ({ type: 'tool-call', toolName: 'note', args: { text } })),
  { type: 'text', text: 'You can have a refund.\n' },
];

const HANDBOOK = `Refunds within 30 days, with the receipt.
Exchanges at any time.
Ask before you promise anything.
`.repeat(40);

/** @type {import('lmthing').PromptFunction} */
export default ({ defSystem, defTool, $ }) => {
  defSystem('handbook', HANDBOOK);
  defTool('note', 'Keeps a note.', z.object({ text: z.string() }), ({ text }) => `kept: ${text}`);
  $`My kettle is broken. What can I get? (Today is ${new Date().toDateString()}.)`;
};
