// Whatever a tool throws becomes the message of an error result.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const thrown = [new Error('plain'), new TypeError('typed'), 'just text', { message: 'object' }];
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ i: z.number() }), async ({ i }) => { throw thrown[i]; });
    $`go`;
  }, [...thrown.map((_, i) => call('t', { i }, `c${i}`)), say('ok')]);
  print(steps.slice(1).map((s) => outputsOf(s)[0]));
};
