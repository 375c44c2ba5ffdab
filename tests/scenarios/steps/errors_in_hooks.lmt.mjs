// An error in a hook or a stop condition rejects the run.

import { drive, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const run = (options) => failure(() => drive(({ $ }) => { $`x`; }, [say('y')], { options }));
  print(await run({ onStepFinish() { throw new Error('in onStepFinish'); } }));
  print(await run({ stopWhen() { throw new Error('in stopWhen'); } }));
  print(await run({ async onFinish() { throw new Error('in onFinish'); } }));
};
