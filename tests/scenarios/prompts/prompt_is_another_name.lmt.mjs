// Prompt is another name of StatefulPrompt, and every prompt is an instance of it.

import lmthing, { Prompt, StatefulPrompt } from 'lmthing';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async (prompt) => {
  prompt.$`scenario`;
  console.log(Prompt === StatefulPrompt, prompt instanceof Prompt, lmthing.Prompt === Prompt);
};
