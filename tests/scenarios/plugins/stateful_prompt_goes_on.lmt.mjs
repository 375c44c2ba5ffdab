// A second run of a prompt made by hand continues the conversation.

import { StatefulPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const prompt = new StatefulPrompt(createMockModel([say('first answer'), { type: 'finish' }, say('second answer')]));
  prompt.$`first`;
  await prompt.run().text;
  prompt.$`second`;
  print(await prompt.run().text);
  print(talkOf(prompt.steps.at(-1)));
};
