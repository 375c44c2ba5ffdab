// A tool: a function of yours that the model may call. Its arguments are checked against the schema first; what the
// function returns is sent to the model, which then goes on.
//
//   lmthing run tools.lmt.mjs
//   lmthing run -m openai:gpt-6.1-sol tools.lmt.mjs    a real model; needs OPENAI_API_KEY, in the environment or in .env

import { z } from 'zod';

// 'mock' plays the answers below, without a key or a network. `lmthing models` lists the real ones.
export const config = { model: 'mock' };

// A tool call ends the model's turn; what follows is its next one.
export const mock = [
  { type: 'tool-call', toolName: 'stock', args: { product: 'tea' } },
  { type: 'tool-call', toolName: 'stock', args: { product: 'cups' } },
  { type: 'text', text: 'There are 12 packets of tea, and the cups are sold out.' },
];

const stock = new Map([['tea', 12], ['pots', 3]]);

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTool, $ }) => {
  defTool(
    'stock',
    'Says how many of a product are there.',
    z.object({ product: z.string().describe('in lower case, such as tea') }),
    async ({ product }) => {
      console.error(`looking up ${product}`);
      return { product, count: stock.get(product) ?? 0 };
    },
  );

  $`How much tea and how many cups do we have?`;
};
