// Only the validated JSON is printed, on one line: no text of other steps, nothing around it.
import { z } from 'zod';

export const config = { model: 'mock' };
export const mock = [
  { type: 'text', text: 'Let me look.' },
  { type: 'tool-call', toolName: 'look' },
  { type: 'text', text: 'Here:\n```json\n{ "celsius": 21.5, "more": 1 }\n```' },
];
export const output = z.object({ celsius: z.number() });
export default async ({ defTool, $ }) => {
  defTool('look', 'Looks', z.object({}), () => 'sky');
  $`How warm?`;
};
