// Data with a cycle or a bigint is a TypeError that names the definition.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defData, $ }) => {
    const loop = {}; loop.self = loop;
    print([loop, { n: 1n }].map((d) => { try { defData('BAD', d); return 'none'; } catch (e) { return [e.name, e.message.includes('BAD')]; } }));
    $`go`;
  }, [say('ok')]);
};
