// Methods validate arguments and results at run time, and take callbacks as options in the place of the result's schema.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defMethod }) => {
    const input = z.object({ n: z.number().refine((n) => n > 0, 'must be positive'), by: z.number().default(2) });
    defMethod('times', 'Multiplies', input, ({ n, by }) => n * by, {
      responseSchema: z.number(),
      beforeCall: ({ n }) => { log.push(`before ${n}`); return n === 99 ? 0 : undefined; },
      onSuccess: (args, output) => output + 0.5,
    });
    defMethod('wrong', 'Wrong', z.object({}), () => 'text', z.number());
  };
  const answer = async (source) => (await answerTo(define, `<run_code>return ${source};</run_code>`)).replace(/<.?code_response>/g, '');
  print([await answer('await times({ n: 4 })'), await answer('await times({ n: 99 })'), await answer('(await times({ n: 1, by: 1 })).toFixed(2)')]);
  print([(await answer('await times({ n: -1 })')).includes('must be positive'), /<code_error>.*wrong/.test(await answer('await wrong({})')), log]);
};
