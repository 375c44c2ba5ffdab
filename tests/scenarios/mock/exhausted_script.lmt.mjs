// When the script has run out the model answers with nothing.

import { z } from 'zod';
import { call, drive, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, [call('p')]);
  print([text, steps.length, steps[1].output.content, steps[1].output.finishReason]);
};
