// Text that only looks like a tag stays as it is, in one piece or cut; so does a closing tag without an opening one.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defMethod }) => {
    defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
  };
  const blocks = ['<run_codes>1</run_codes>', '< run_code>1</run_code>', '<RUN_CODE>1</RUN_CODE>', '<run_code >1'];
  for (const text of [...blocks, '</run_code> <run_cod', 'a <', '<<run_code']) {
    print([await answerTo(define, text), await answerTo(define, [...text])].map((answer) => answer === text));
  }
};
