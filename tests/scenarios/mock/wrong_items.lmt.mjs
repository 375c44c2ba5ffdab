// Items of another shape are a TypeError that names the item.

import { createMockModel } from 'lmthing/test';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const tries = [() => createMockModel('text'), () => createMockModel([{ type: 'song' }]), () => createMockModel([say('x'), { type: 'text' }]), () => createMockModel([{ type: 'tool-call' }])];
  print(tries.map((t) => { try { t(); return 'none'; } catch (e) { return [e instanceof TypeError, /array|item \d/.test(e.message)]; } }));
};
