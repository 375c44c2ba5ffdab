// Console lines go to stderr as [sandbox] lines and back to the model as logs, in order; without any there are no logs.

import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, $ }) => {
    defFunction('tick', 'Ticks', z.object({}), () => 'tock');
    $`go`;
  }, [
    code('console.log("first", { n: 1 }, [2], undefined);\nconsole.warn(await tick({}));\nconsole.error("two\\nlines");\nreturn 1;'),
    code('console.debug("before it fails");\nthrow new Error("failed");', 'c2'),
    code('return 2;', 'c3'),
    say('ok'),
  ]);
  const [good, bad, quiet] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([good.logs, bad.logs, quiet]);
};
