// Task list and task graph live side by side.

import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskGraph, defTaskList, $ }) => { defTaskList([{ id: '1', name: 'L', status: 'pending' }]); defTaskGraph([{ id: 'g', title: 'T-g', description: 'do g', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); $`go`; },
    [call('completeTask', { taskId: '1' }), call('updateTaskStatus', { taskId: 'g', status: 'completed' }, 'c2'), say('ok')]);
  const system = systemOf(steps[2]);
  print([system.includes('Completed (1) - [1] L'), system.includes('Completed (1) - [g] T-g'), steps[2].activeTools.length]);
};
