// A model object gets the prompt, tools and settings of the step.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = scripted(callTurn(['p', { a: 1 }, 'k']), textTurn('ok'));
  await drive(async ({ defTool, defSystem, $ }) => { defSystem('s', 'S'); defTool('p', 'Pings', z.object({ a: z.number() }), () => ({ r: 1 })); $`hi`; }, model,
    { options: { temperature: 0.5, topP: 0.9, maxOutputTokens: 77, seed: 3, stopSequences: ['END'], toolChoice: 'required' } });
  const [one, two] = model.requests;
  print([one.prompt.map((m) => m.role), one.prompt[1].content, one.tools.length, one.toolChoice]);
  print([one.temperature, one.topP, one.maxOutputTokens, one.seed, one.stopSequences]);
  print([two.prompt.map((m) => m.role), two.prompt[2].content, two.prompt[3].content]);
};
