// Any library with Standard Schema can describe the arguments.

import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const even = { '~standard': { version: 1, vendor: 'mine', validate: (v) => (v.n % 2 ? { issues: [{ message: 'odd', path: ['n'] }] } : { value: { n: v.n / 2 } }) } };
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('half', 'H', even, ({ n }) => n); $`go`; }, [call('half', { n: 8 }), call('half', { n: 3 }, 'c2'), say('ok')]);
  print([valuesOf(steps[1])[0], outputsOf(steps[2])[0].type, valuesOf(steps[2])[0].error.includes('odd')]);
};
