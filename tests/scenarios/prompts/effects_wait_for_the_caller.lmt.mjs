// The first step's effects run after runPrompt has given {result, prompt}, timers nearby or not.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const later = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

export default async ({ $ }) => {
  $`scenario`;
  for (const wait of [undefined, 0, 1]) {
    const seen = [];
    const wrapped = async (fn) => runPrompt(fn, { model: createMockModel([{ type: 'text', text: 'ok' }]) });
    const started = wrapped(async ({ defEffect, $ }) => {
      defEffect(() => { seen.push(prompt.steps.length); });
      if (wait !== undefined) await later(wait);
      $`go`;
    });
    if (wait !== undefined) setTimeout(() => {}, wait);
    const { result, prompt } = await started;
    seen.push('caller');
    await result.text;
    console.log(seen.join());
  }
};
