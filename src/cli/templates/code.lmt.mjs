// Code mode: the model writes TypeScript that calls your functions, in place of one tool call after the other. The code is
// type-checked before it runs, and runs in a process that reaches nothing but these functions.
//
//   lmthing run code.lmt.mjs
//   lmthing run -m openai:gpt-6.1-sol code.lmt.mjs    a real model; needs OPENAI_API_KEY, in the environment or in .env

import { z } from 'zod';

// 'mock' plays the answers below, without a key or a network. `lmthing models` lists the real ones.
export const config = { model: 'mock' };

// The model calls the tool runToolCode, which comes with defFunction.
export const mock = [
  {
    type: 'tool-call',
    toolName: 'runToolCode',
    args: {
      code: [
        'const prices = await Promise.all(["tea", "cup"].map((product) => getPrice({ product })));',
        'const cents = prices.reduce((sum, price) => sum + price.cents, 0);',
        'return await discount({ cents, percent: 10 });',
      ].join('\n'),
    },
  },
  { type: 'text', text: 'Tea and a cup cost 10.80 with ten percent off.' },
];

const prices = new Map([['tea', 400], ['cup', 800], ['pot', 2500]]);

/** @type {import('lmthing').PromptFunction} */
export default async ({ defFunction, $ }) => {
  // The model reads declarations that are made of name, description and schemas.
  defFunction(
    'getPrice',
    'Looks up what a product costs.',
    z.object({ product: z.string().describe('tea, cup or pot') }),
    async ({ product }) => {
      console.error(`price of ${product}`);
      return { cents: prices.get(product) ?? 0 };
    },
    { responseSchema: z.object({ cents: z.number().int() }) },
  );

  defFunction(
    'discount',
    'Takes a discount off an amount.',
    z.object({ cents: z.number(), percent: z.number().min(0).max(100) }),
    async ({ cents, percent }) => Math.round((cents * (100 - percent)) / 100),
    { responseSchema: z.number().int() },
  );

  $`What do tea and a cup cost with ten percent off?`;
};
