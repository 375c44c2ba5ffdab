// An error thrown by the callback is an error result for the parent, and the run continues.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), () => { throw new Error('kid is ill'); });
    $`go`;
  }, [call('kid'), say('never mind')]);
  print([text, outputsOf(steps[1])]);
};
