// Errors in callbacks become the error result and are not handed to onError.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const onError = () => { log.push('onError'); return 'rescued'; };
  const { steps, text } = await drive(async ({ defTool, $ }) => {
    defTool('a', 'A', z.object({}), () => 1, { beforeCall: () => { throw new Error('in before'); }, onError });
    defTool('b', 'B', z.object({}), () => 1, { onSuccess: async () => { throw new Error('in success'); }, onError });
    defTool('c', 'C', z.object({}), () => { throw new Error('first'); }, { onError: () => { throw new Error('in error'); } });
    $`go`;
  }, [call('a'), call('b', {}, 'c2'), call('c', {}, 'c3'), say('ok')]);
  print([text, log, steps.slice(1).map((s) => outputsOf(s)[0])]);
};
