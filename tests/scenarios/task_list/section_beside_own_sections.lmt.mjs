// The status is the section taskList next to the prompt's own sections and variables.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskList, defSystem, def, $ }) => {
    defSystem('role', 'Gardener.'); def('SEASON', 'spring');
    defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]);
    $`go`;
  }, [say('ok')]);
  const system = systemOf(steps[0]);
  print(['<role>Gardener.</role>', '<taskList>', '</taskList>', '<SEASON>spring</SEASON>', '## Current Task Status', 'Pending (3)', '- [1] Dig', '(none)'].map((s) => system.includes(s)));
};
