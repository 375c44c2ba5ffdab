// Each run of a prompt keeps the very value its code threw, also after a later run.

import { StatefulPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const prompt = new StatefulPrompt(createMockModel([{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }]));
  const first = { number: 1 };
  let fails = true;
  prompt.defEffect(() => { if (fails) throw first; });
  prompt.$`go`;
  const failed = prompt.run();
  await failed.text.catch(() => {});
  fails = false;
  const second = prompt.run();
  console.log(await second.text);
  console.log(await failed.steps.catch((thrown) => thrown === first));
};
