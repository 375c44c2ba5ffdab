// An empty list is a list.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskList, $ }) => { print(defTaskList([])[0]); $`go`; }, [say('ok')]);
  print(systemOf(steps[0]).includes('Pending (0)'));
};
