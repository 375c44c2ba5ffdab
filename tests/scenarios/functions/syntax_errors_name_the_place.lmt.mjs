// Code that does not parse is refused with the place and TypeScript's number; nothing of it runs.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let calls = 0;
  const define = ({ defFunction }) => defFunction('tick', 'Ticks', z.object({}), () => { calls += 1; });
  for (const source of ['await tick({});\nconst = 5;', 'await tick({});\nreturn [1, 2;', 'await tick({});\nif (1) {', 'await tick({});\nreturn "open;']) {
    const { success, errors } = await runCode(define, source);
    print([success, errors.length > 0, errors[0].line, errors[0].code >= 1000, source.split('\n').includes(errors[0].codeLine)]);
  }
  print(calls);
};
