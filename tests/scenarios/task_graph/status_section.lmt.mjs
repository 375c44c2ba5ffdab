// The section taskGraph groups the tasks, with dependencies and capabilities.

import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskGraph, defSystem, $ }) => {
    defSystem('role', 'Builder.');
    defTaskGraph([
      { id: 'dig', title: 'Dig', description: 'd', status: 'pending', dependencies: [], unblocks: ['wall'], required_capabilities: ['spade'] },
      { id: 'wall', title: 'Wall', description: 'w', status: 'pending', dependencies: ['dig'], unblocks: [], required_capabilities: ['mortar', 'bricks'] },
    ]);
    $`go`;
  }, [call('updateTaskStatus', { taskId: 'dig', status: 'in_progress' }), call('updateTaskStatus', { taskId: 'dig', status: 'completed' }, 'c2'), say('ok')]);
  const has = (i, list) => list.map((t) => systemOf(steps[i]).includes(t));
  print(has(0, ['<role>Builder.</role>', '<taskGraph>', '## Task Graph Status', 'In Progress (0) (none)', 'Ready to Start (1) - [dig] Dig [spade]', 'Blocked / Pending (1) - [wall] Wall (depends on: dig) [mortar, bricks]', 'Completed (0)']));
  print(has(1, ['In Progress (1) - [dig] Dig [spade]', 'Ready to Start (0)', 'Blocked / Pending (1)']));
  print(has(2, ['In Progress (0)', 'Ready to Start (1) - [wall] Wall', 'Completed (1) - [dig] Dig']));
};
