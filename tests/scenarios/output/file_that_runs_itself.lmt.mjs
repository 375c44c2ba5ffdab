// A file that runs itself ends at a limit of depth.
import { run } from 'lmthing';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'x' }];
export default async ({ $ }) => {
  $`x`;
  const { result } = await run('./file_that_runs_itself.lmt.mjs');
  await result.text;
};
