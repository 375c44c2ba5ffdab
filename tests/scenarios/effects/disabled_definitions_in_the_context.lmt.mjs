// Definitions made in the same run are in the context of step 0.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ def, defEffect, $ }) => {
    defEffect((ctx) => { print([ctx.variables.has('LATER'), ctx.systems.length, ctx.tools.length]); });
    def('LATER', 'x');
    $`go`;
  }, [say('ok')]);
};
