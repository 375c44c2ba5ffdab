// run() of a prompt that is under way throws, also in a tool of an agent's child; the run continues.

import { z } from 'zod';
import { call, failure, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [call('ask'), call('again'), say('child is done'), say('done')];

export default async (prompt) => {
  prompt.$`scenario`;
  prompt.defAgent('ask', 'Asks.', z.object({}), async (_, child) => {
    child.defTool('again', 'Runs its own prompt again.', z.object({}), async () => {
      console.log(await failure(() => child.run()));
      console.log(await failure(() => prompt.run()));
      return 'ok';
    });
    child.$`go`;
  });
};
