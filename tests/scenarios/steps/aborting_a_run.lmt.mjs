// options.abortSignal ends the run; tools get the signal.

import { z } from 'zod';
import { call, drive, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const controller = new AbortController();
  let given;
  const message = await failure(() => drive(async ({ defTool, $ }) => {
    defTool('p', 'P', z.object({}), async (args, { abortSignal }) => { given = abortSignal === controller.signal; controller.abort(); await new Promise((r) => setTimeout(r, 20)); return 1; });
    $`go`;
  }, [call('p'), say('never')], { options: { abortSignal: controller.signal } }));
  print([given, message.startsWith('AbortError')]);
};
