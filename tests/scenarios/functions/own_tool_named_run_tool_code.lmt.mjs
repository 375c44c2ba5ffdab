// Without functions a tool of one's own may be named runToolCode and is a tool like any other.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = scripted(callTurn(['runToolCode', { code: 'run' }, 'c1']), textTurn('ok'));
  const { steps } = await drive(({ defTool, $ }) => {
    defTool('runToolCode', 'My own', z.object({ code: z.string(), speed: z.number().default(2) }), ({ code, speed }) => `${code} at ${speed}`);
    $`go`;
  }, model);
  const [tool] = model.requests[0].tools;
  print([valuesOf(steps[1])[0], steps[0].activeTools, tool.description, Object.keys(tool.inputSchema.properties)]);
};
