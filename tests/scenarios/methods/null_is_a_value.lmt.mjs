// return null is a value: it is inserted as null and ends the answer; return undefined is none.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defMethod }) => {
    defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
  };
  print(await answerTo(define, 'a <run_code>return null;</run_code> b'));
  print(await answerTo(define, 'a <run_code>return undefined;</run_code> b'));
};
