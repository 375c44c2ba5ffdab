// Listing a built-in plugin again changes nothing.

import { taskListPlugin, taskGraphPlugin } from 'lmthing/plugins';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defTaskList, $ }) => { print(defTaskList([{ id: '1', name: 'One', status: 'pending' }])[0].length); $`go`; }, [say('ok')], { plugins: [taskListPlugin, taskGraphPlugin] });
};
