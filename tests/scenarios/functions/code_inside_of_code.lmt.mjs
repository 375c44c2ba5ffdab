// Code waits for a function agent whose own code waits for another one: at any depth, without a deadlock.

import { z } from 'zod';
import { createMockModel } from 'lmthing/test';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const defineBoss = (prompt, level) => {
  const items = level > 1 ? [call('runToolCode', { code: 'return await boss({});' })] : [];
  prompt.defFunctionAgent('boss', 'Asks the next one.', z.object({}), (_, child) => {
    if (level > 1) defineBoss(child, level - 1);
    child.$`go`;
  }, { model: createMockModel([...items, say(`level ${level}`)]) });
};

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async (prompt) => {
    defineBoss(prompt, 8);
    prompt.$`go`;
  }, [call('runToolCode', { code: 'return await boss({});' }), say('done')]);
  print([valuesOf(steps[1])[0], text]);
};
