// The section available_methods explains <run_code> and shows typed declarations; without methods there is neither section nor code.

import { z } from 'zod';
import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const block = 'a <run_code>return 1;</run_code> b';
  const { steps } = await drive(({ defMethod, $ }) => {
    defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
    $`go`;
  }, [say(block)]);
  const section = systemOf(steps[0]);
  const declaration = 'function getUser(args: { id: string }): Promise<{ name: string }>';
  print(['available_methods', 'run_code', 'Finds a user', declaration].map((text) => section.includes(text)));
  print([steps[0].activeTools, steps[0].output.content.map(({ text }) => text), steps[0].output.finishReason]);
  const without = await drive(({ $ }) => { $`go`; }, [say(block)]);
  print([systemOf(without.steps[0]), without.text === block]);
};
