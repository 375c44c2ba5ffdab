// fullSteps has the same input and activeTools, and the raw parts as output.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { prompt } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, [say('x'), call('p'), say('y')]);
  const [a, b] = prompt.fullSteps;
  print([Object.keys(a).sort(), Array.isArray(a.output), a.activeTools, a.input.prompt.length, b.input.prompt.length]);
  print(a.output.map((p) => p.type).filter((t) => ['text-start', 'text-delta', 'text-end', 'tool-call', 'finish'].includes(t)));
};
