// Shows code mode: the model writes TypeScript that calls your functions. The code is type-checked before it runs, so
// the mistake in the first attempt below never runs; the model sees the error with its line and corrects it.
//
//   lmthing run examples/function-demo.lmt.mjs

import { func } from 'lmthing/plugins';
import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'text', text: 'Let me compute the order. ' },
  // Wrong on purpose: the price is asked for with a number where the schema wants a string.
  { type: 'tool-call', toolCallId: 'c1', toolName: 'runToolCode', args: {
    code: 'const price = await getPrice({ product: 7 });\nreturn price.cents;',
  } },
  { type: 'tool-call', toolCallId: 'c2', toolName: 'runToolCode', args: {
    code: [
      'const products: string[] = ["tea", "cup"];',
      'const prices = await Promise.all(products.map((product) => getPrice({ product })));',
      'const total = await math.sum({ values: prices.map((price) => price.cents) });',
      'console.log("prices", prices.map((price) => price.cents));',
      'return await math.discount({ cents: total.value, percent: 10 });',
    ].join('\n'),
  } },
  { type: 'text', text: 'Tea and a cup cost 10.80 with the discount.' },
];

const cents = z.object({ value: z.number().int().describe('cents') });

export default async ({ defFunction, $ }) => {
  // One function: what the model reads is a TypeScript declaration made from the schemas.
  defFunction(
    'getPrice',
    'Looks up the price of a product',
    z.object({ product: z.string().describe('tea, cup or pot') }),
    async ({ product }) => ({ cents: { tea: 400, cup: 800, pot: 2500 }[product] ?? 0 }),
    {
      responseSchema: z.object({ cents: z.number().int() }),
      beforeCall: async ({ product }) => { console.error(`price of ${product} asked for`); },
    },
  );

  // Several functions in a namespace: math.sum, math.discount.
  defFunction('math', 'Arithmetic on amounts', [
    func('sum', 'Adds up', z.object({ values: z.array(z.number()) }),
      async ({ values }) => ({ value: values.reduce((sum, value) => sum + value, 0) }), { responseSchema: cents }),
    func('discount', 'Takes a discount off', z.object({ cents: z.number(), percent: z.number().min(0).max(100) }),
      async ({ cents, percent }) => ({ value: Math.round((cents * (100 - percent)) / 100) }), { responseSchema: cents }),
  ]);

  $`What do tea and a cup cost with ten percent off?`;
};
