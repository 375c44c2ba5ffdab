// lmthing/plugins exports the plugins, their methods, the helpers and the graph utilities.

import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const all = await import('lmthing/plugins');
  print(['taskListPlugin', 'taskGraphPlugin'].map((n) => typeof all[n]));
  print(['defTaskList', 'defTaskGraph', 'func', 'funcAgent', 'detectCycles', 'validateTaskGraph', 'normalizeTaskGraph', 'getUnblockedTasks'].map((n) => typeof all[n]));
  print([typeof all.taskListPlugin.defTaskList, typeof all.taskGraphPlugin.defTaskGraph]);
};
