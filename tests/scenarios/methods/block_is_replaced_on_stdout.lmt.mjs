// On stdout the value replaces the block; the code and what follows it are never shown, no further step is made.

import { z } from 'zod';

export const config = { model: 'mock' };
export const mock = [
  { type: 'text', text: 'It is <run' },
  { type: 'text', text: '_code>const user = await getUser({ id: "7" });\nreturn user.na' },
  { type: 'text', text: 'me;</run_code> and this is never shown' },
  { type: 'text', text: ', neither is this' },
  { type: 'finish' },
  { type: 'text', text: 'a second step' },
];

export default ({ defMethod, $ }) => {
  defMethod('getUser', 'Finds a user', z.object({ id: z.string() }), ({ id }) => ({ name: `user ${id}` }), z.object({ name: z.string() }));
  $`whose is it?`;
};
