// A tool call item without an id gets one.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, [{ type: 'tool-call', toolName: 'p', args: {} }, say('ok')]);
  const id = steps[0].output.content[0].toolCallId;
  print([typeof id, id.length > 0, steps[1].input.prompt.at(-1).content[0].toolCallId === id]);
};
