// A plain JSON Schema validates the arguments.

import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }, ({ n }) => n * 2);
    $`go`;
  }, [call('t', { n: 4 }), call('t', { n: 0 }, 'c2'), call('t', {}, 'c3'), say('ok')]);
  print(steps.slice(1).map((s) => outputsOf(s)[0].type));
  print([valuesOf(steps[1])[0], valuesOf(steps[2])[0].error.includes('n'), valuesOf(steps[3])[0].error.includes('n')]);
};
