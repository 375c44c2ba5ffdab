// config.sandbox.hostCalls is the most calls one piece of code may make; the next piece starts at zero.

import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let ran = 0;
  const { steps } = await drive(({ defFunction, $ }) => {
    defFunction('tick', 'Ticks', z.object({}), () => { ran += 1; return ran; });
    $`go`;
  }, [
    code('for (let i = 0; i < 5; i++) await tick({});\nreturn "all";'),
    code('return [await tick({}), await tick({}), await tick({})];', 'c2'),
    say('ok'),
  ], { sandbox: { hostCalls: 3 } });
  const [many, few] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([many.success, many.error.includes('3'), few.result]);
};
