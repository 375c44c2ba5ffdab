// Clean-ups run at the end of a failed run too.

import { drive, failure, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const message = await failure(() => drive(async ({ defEffect, $ }) => { defEffect(() => () => { log.push('clean'); }, []); $`go`; }, [{ type: 'error', error: 'broken' }]));
  print([message.includes('broken'), log]);
};
