// A failing model of a child is an error result for the parent.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }, { model: createMockModel([{ type: 'error', error: 'child line dead' }]) });
    $`go`;
  }, [call('kid'), say('never mind')]);
  print([text, outputsOf(steps[1])[0].type, valuesOf(steps[1])[0].error.includes('child line dead')]);
};
