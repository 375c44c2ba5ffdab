// defData writes the data as it is when called.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defData, $ }) => { const d = { count: 1 }; defData('D', d); d.count = 2; $`go`; }, [say('ok')]);
  print(systemOf(steps[0]));
};
