// A function defined again under its name counts with its new schema and code, a namespace too; the place is kept.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { code, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, $ }) => {
    defFunction('size', 'Old size', z.object({ old: z.string() }), () => 'old');
    defFunction('last', 'Last', z.object({}), () => 'last');
    defFunction('size', 'New size', z.object({ text: z.string() }), ({ text }) => text.length, { responseSchema: z.number() });
    defFunction('space', 'A function', z.object({}), () => 'function');
    defFunction('space', 'A namespace', [func('inner', 'Inner', z.object({}), () => 'inner')]);
    $`go`;
  }, [code('return [await size({ text: "four" }), await space.inner({})];'), code('return await size({ old: "x" });', 'c2'), say('ok')]);
  print([valuesOf(steps[1])[0].result, valuesOf(steps[2])[0].errors.map((error) => error.code)]);
  const section = systemOf(steps[0]);
  print([section.includes('Old size'), section.includes('function space'), section.indexOf('function size') < section.indexOf('function last')]);
};
