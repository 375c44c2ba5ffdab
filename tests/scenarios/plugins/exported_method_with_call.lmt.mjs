// An exported plugin method works with the prompt as this.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const mine = { defWork(items) { return this.defTaskList(items.map((name, i) => ({ id: String(i), name, status: 'pending' })))[0]; } };
  await drive(async ({ defWork, $ }) => { print(defWork(['a', 'b']).map((t) => t.name)); $`go`; }, [say('ok')], { plugins: [mine] });
};
