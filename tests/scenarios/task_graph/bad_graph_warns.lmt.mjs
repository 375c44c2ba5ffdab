// A graph with a circle warns on stderr when it is defined; the run continues.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { text } = await drive(async ({ defTaskGraph, $ }) => { defTaskGraph([{ id: 'egg', title: 'T-egg', description: 'do egg', status: 'pending', dependencies: ['hen'], unblocks: [], required_capabilities: [] }, { id: 'hen', title: 'T-hen', description: 'do hen', status: 'pending', dependencies: ['egg'], unblocks: [], required_capabilities: [] }]); $`go`; }, [say('ok')]);
  print(text);
};
