// detectCycles finds self-references and every task of a circle.

import { detectCycles, validateTaskGraph } from 'lmthing/plugins';
import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  print([detectCycles([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]), detectCycles([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: ['b'], unblocks: [], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }, { id: 'c', title: 'T-c', description: 'do c', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]).sort(), detectCycles([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }])]);
  print(validateTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]).length > 0);
};
