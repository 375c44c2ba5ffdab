// defTaskList() and defTaskGraph() without arguments start empty, and later tasks are shown.

import { drive, print, say, systemOf } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskList, defTaskGraph, $ }) => {
    const [tasks, setTasks] = defTaskList();
    const [graph] = defTaskGraph();
    print([tasks, graph]);
    setTasks([{ id: 'a', name: 'First' }]);
    $`go`;
  }, [say('ok')]);
  print([systemOf(steps[0]).includes('First'), steps[0].activeTools.includes('startTask')]);
};
