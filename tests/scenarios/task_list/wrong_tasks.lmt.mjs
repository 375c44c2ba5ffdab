// Tasks of another shape are a TypeError with the reason.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defTaskList, $ }) => {
    const tries = [() => defTaskList('x'), () => defTaskList([{ id: '1' }]), () => defTaskList([{ id: '1', name: 'A', status: 'asleep' }]), () => defTaskList([5])];
    print(tries.map((t) => { try { t(); return 'none'; } catch (e) { return [e.name, e.message.includes('defTaskList')]; } }));
    $`go`;
  }, [say('ok')]);
};
