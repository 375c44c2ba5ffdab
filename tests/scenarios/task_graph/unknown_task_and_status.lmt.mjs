// Unknown ids and statuses are refused with success false; the run continues.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defTaskGraph, $ }) => { defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); $`go`; },
    [call('updateTaskStatus', { taskId: 'ghost', status: 'completed' }), say('ok')]);
  const value = valuesOf(steps[1])[0];
  print([text, value.success, JSON.stringify(value).includes('ghost')]);
};
