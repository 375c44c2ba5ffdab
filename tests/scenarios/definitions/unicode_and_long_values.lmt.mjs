// Long values and every script go through unharmed.

import { drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const long = 'ab日👩‍🚀'.repeat(5000);
  const { steps } = await drive(async ({ def, $ }) => { def('LONG', long); $`${long}`; }, [say(long)]);
  print([textOf(steps[0].input.prompt[0]).includes(long), textOf(steps[0].input.prompt[1]) === long, steps[0].output.content[0].text === long]);
};
