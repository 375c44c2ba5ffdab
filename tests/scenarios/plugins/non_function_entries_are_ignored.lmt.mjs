// Entries of a plugin that are no functions are no methods.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async (p) => { print([p.version === undefined, p.defX()]); p.$`go`; }, [say('ok')], { plugins: [{ version: '1.0', defX: () => 'x' }] });
};
