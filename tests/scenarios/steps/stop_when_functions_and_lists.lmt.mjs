// stopWhen takes functions of {steps}, also async and in an array; any of them ends the run.

import { stepCountIs } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const make = () => [call('p'), call('p', {}, 'c2'), call('p', {}, 'c3'), say('end')];
  const fn = async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; };
  const one = await drive(fn, make(), { options: { stopWhen: ({ steps }) => { seen.push(steps.length); return steps.length === 1; } } });
  const two = await drive(fn, make(), { options: { stopWhen: [stepCountIs(9), async ({ steps }) => steps.at(-1).toolCalls[0].toolCallId === 'c2'] } });
  const all = await drive(fn, make(), { options: { stopWhen: [stepCountIs(9), () => false] } });
  print([one.steps.length, seen, two.steps.length, all.steps.length, all.text]);
};
