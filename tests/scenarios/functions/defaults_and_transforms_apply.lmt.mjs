// Properties with a default may be left out; the function gets the schema's output, the code is typed by its input.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const define = ({ defFunction }) => {
    const input = z.object({ when: z.string().transform((text) => new Date(text)), days: z.number().default(3), tag: z.string().trim().optional() });
    defFunction('plan', 'Plans', input, (args) => { seen.push([args.when instanceof Date, args.days, args.tag]); return 'planned'; });
  };
  print((await runCode(define, 'return [await plan({ when: "2024-05-01" }), await plan({ when: "2024-05-02", days: 1, tag: " x " })];')).result);
  print(seen);
  print((await runCode(define, 'return await plan({ when: new Date(0) });')).errors.map(({ code }) => code));
};
