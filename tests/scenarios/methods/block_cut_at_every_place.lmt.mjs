// Wherever a block is cut between pieces of the stream, and cut into single characters, the answer is the same.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defMethod }) => {
    defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
  };
  const whole = 'é <b> <run_<run_code>return (await getUser({ id: "<7>" })).name + "</run_";</run_code> more';
  const answers = new Set();
  for (let cut = 0; cut <= whole.length; cut++) answers.add(await answerTo(define, [whole.slice(0, cut), whole.slice(cut)]));
  answers.add(await answerTo(define, [...whole]));
  answers.add(await answerTo(define, whole.match(/.{1,3}/g)));
  print([...answers]);
};
