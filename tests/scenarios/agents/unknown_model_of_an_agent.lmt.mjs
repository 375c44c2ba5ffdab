// A model that cannot be found is an error result.

import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defAgent, $ }) => { defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }, { model: 'nonesuch:model' }); $`go`; }, [call('kid'), say('ok')]);
  print([text, outputsOf(steps[1])[0].type, valuesOf(steps[1])[0].error.includes('nonesuch')]);
};
