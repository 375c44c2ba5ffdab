// Functions get what JSON.parse gives, and so does the code that called them; what the model reads is well-formed.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const codes = [
  "const r: any = await both({ text: 'a\\ud800' }); return [r.text === 'a\\ud800!', r];",
  "throw new Error('half \\ud800');",
  'return await fail({});',
  // The model's own text of the arguments has an escape for half a pair in the middle of the code.
  { raw: '{ "code": "return \\"\\ud800\\";" }' },
];

export default async ({ $ }) => {
  $`scenario`;
  for (const code of codes) {
    const { steps } = await drive(async ({ defFunction, $ }) => {
      defFunction('both', 'B', z.object({ text: z.string() }), ({ text }) => {
        print(text);
        return { text: `${text}!` };
      });
      defFunction('fail', 'F', z.object({}), () => { throw new Error('half \udc00'); });
      $`go`;
    }, [call('runToolCode', code.raw ?? { code }), say('done')]);
    const [{ result, error }] = valuesOf(steps[1]);
    print(result ?? error);
  }
};
