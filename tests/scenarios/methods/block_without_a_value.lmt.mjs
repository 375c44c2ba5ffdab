// A block that returns nothing is taken out of the text and the answer continues; the first block with a value ends it.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defMethod }) => defMethod('note', 'Notes', z.object({ n: z.number() }), ({ n }) => { log.push(n); return n; });
  print(await answerTo(define, 'a <run_code>await note({ n: 1 });</run_code>b <run_code>const x: unknown = await note({ n: 2 });</run_code>c'));
  const pieces = ['a<run_code>await note({ n: 3 });</run', '_code>b<run_code>return await note({ n: 4 });</run_code>c', '<run_code>await note({ n: 5 });'];
  print(await answerTo(define, pieces));
  print(await answerTo(define, '<run_code></run_code>left'));
  print(log);
};
