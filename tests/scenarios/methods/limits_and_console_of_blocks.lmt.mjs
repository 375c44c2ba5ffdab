// The settings of config.sandbox hold for blocks; console lines go to stderr as [sandbox] lines and are not in the answer.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defMethod }) => {
    defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
  };
  const config = { sandbox: { cpuMs: 150, resultBytes: 50 } };
  const endless = await answerTo(define, 'a <run_code>for (;;) {}</run_code> b', config);
  const large = await answerTo(define, 'a <run_code>return "x".repeat(60);</run_code> b', config);
  print([/^a <code_error>.*150 ms.*<\/code_error>$/s.test(endless), /^a <code_error>.*50 bytes.*<\/code_error>$/s.test(large)]);
  print(await answerTo(define, 'a <run_code>console.log("looking", 7);\nreturn 1;</run_code> b', config));
};
