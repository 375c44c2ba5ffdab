// Shows defMethod: the model runs TypeScript in the middle of its text. The block is replaced by the value it returns, and
// the answer ends there: no second request to the model is needed.
//
//   lmthing run examples/methods.lmt.mjs

import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'text', text: 'The account belongs to <run' },
  { type: 'text', text: '_code>const user = await getUser({ id: "7" });\n' },
  { type: 'text', text: 'return `${user.name}, a member since ${user.since}`;</run_code> and this is never shown' },
];

export default async ({ defMethod, $ }) => {
  defMethod(
    'getUser',
    'Finds a user by id',
    z.object({ id: z.string() }),
    async ({ id }) => ({ name: `user ${id}`, since: 2019 }),
    z.object({ name: z.string(), since: z.number().int() }),
  );

  $`Whose account is number 7?`;
};
