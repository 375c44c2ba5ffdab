// The prompt's own code may replace the graph; tools and status follow.

import { z } from 'zod';
import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskGraph, defTool, $ }) => {
    const [graph, setGraph] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]);
    defTool('grow', 'G', z.object({}), () => { setGraph([...graph, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]); return 'ok'; });
    $`go`;
  }, [call('grow'), call('updateTaskStatus', { taskId: 'a', status: 'completed' }, 'c2'), call('getUnblockedTasks', {}, 'c3'), say('ok')]);
  print([systemOf(steps[1]).includes('[b] T-b'), valuesOf(steps[3])[0].tasks.map((t) => t.id)]);
};
