// onError gets the arguments and {error: message}, whose message is the same text; what it returns becomes the result.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let got;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('a', 'A', z.object({ x: z.number() }), () => { throw new Error('bad day'); }, { onError: async (input, error) => { got = [input, error, error.message]; return { fallback: true }; } });
    defTool('b', 'B', z.object({}), () => { throw new Error('worse day'); }, { onError: () => undefined });
    $`go`;
  }, [call('a', { x: 1 }), call('b', {}, 'c2'), say('ok')]);
  print([got, outputsOf(steps[1])[0], outputsOf(steps[2])[0]]);
};
