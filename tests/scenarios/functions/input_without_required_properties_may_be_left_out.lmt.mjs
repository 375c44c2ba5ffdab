// A function whose input has no required properties is declared with args?, and its schema gets {} when it is called without.

import { z } from 'zod';
import { code, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, $ }) => {
    defFunction('now', 'The time', z.object({}), (args) => ({ args }));
    defFunction('list', 'Lists', z.object({ limit: z.number().default(3), name: z.string().optional() }), (args) => args);
    defFunction('find', 'Finds', z.object({ id: z.string() }), (args) => args);
    $`go`;
  }, [code('return [await now(), await now({}), await list(), await list({ limit: 5 })];'), code('return await find();', 'c2'), say('ok')]);
  const declared = systemOf(steps[0]).match(/function (now|list|find)\(args\??: [^)]*/g);
  print(declared);
  print(valuesOf(steps[1])[0]);
  print(valuesOf(steps[2])[0].success);
};
