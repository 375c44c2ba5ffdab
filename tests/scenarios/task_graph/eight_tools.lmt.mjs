// defTaskGraph registers eight tools.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); $`go`; }, [say('ok')]);
  print([...steps[0].activeTools].sort());
};
