// A text is inserted as it is, other values as JSON; an empty text and false are values too.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defMethod }) => {
    defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
  };
  const sources = ['"a <b> \\"c\\""', 'await getUser({ id: "8" })', '[1, null, { a: undefined }]', '2.50', 'false', '0', '""', 'new Date(0)', '"two\\nlines"'];
  for (const source of sources) {
    print((await answerTo(define, `<run_code>return ${source};</run_code> rest`)).replace(/<.?code_response>/g, '|'));
  }
};
