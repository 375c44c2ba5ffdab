// A file that runs itself from a tool ends at a limit of depth too; agents and inner runs belong to their file.
import { z } from 'zod';
import { run, runPrompt } from 'lmthing';

export const config = { model: 'mock' };
const finish = { type: 'finish' };
export const mock = [
  { type: 'tool-call', toolName: 'again' }, { type: 'text', text: 'inner' }, finish, { type: 'text', text: 'child' }, finish,
  { type: 'text', text: 'done' },
];
export default async ({ $, defAgent }) => {
  defAgent('again', 'Again', z.object({}), async (args, child) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const inner = await runPrompt(async ({ $ }) => {
      const { result } = await run('./tool_that_runs_its_own_file.lmt.mjs');
      await result.text;
      $`x`;
    }, { model: 'mock' });
    await inner.result.text;
    child.$`x`;
  });
  $`x`;
};
