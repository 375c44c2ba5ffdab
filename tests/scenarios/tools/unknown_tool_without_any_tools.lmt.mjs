// Without any tools a call is answered with an error result too.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ $ }) => { $`go`; }, [call('ghost'), say('ok')]);
  print([text, valuesOf(steps[1])[0].error.includes('ghost')]);
};
