// A StatefulPrompt can be made, set up and run by hand.

import { StatefulPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const prompt = new StatefulPrompt(createMockModel([say('Hel'), say('lo')]));
  prompt.defSystem('role', 'R'); prompt.$`hi`;
  const result = prompt.run();
  print([await result.text, prompt.steps.length, systemOf(prompt.steps[0])]);
  const other = StatefulPrompt.create(createMockModel([say('again')]));
  other.$`x`;
  print(await other.run().text);
};
