// A call of a tool that is gone gives an error result and the run continues.

import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defState, defTool, $ }) => {
    const [done, setDone] = defState('done', false);
    if (!done) defTool('once', 'Once', z.object({}), () => { setDone(true); return 'ok'; });
    $`go`;
  }, [call('once'), call('once', {}, 'c2'), say('bye')]);
  const [value] = valuesOf(steps[2]);
  print([text, typeof value.error, value.error.includes('once'), outputsOf(steps[2])[0].type]);
};
