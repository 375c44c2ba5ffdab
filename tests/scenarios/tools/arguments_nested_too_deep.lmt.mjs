// Great depth is an error result, whether it comes in or goes out, and the run continues.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels);

export default async ({ $ }) => {
  $`scenario`;
  let ran = 0;
  for (const args of [`{"a":${nested(100)}}`, `{"a":${nested(200)}}`, `{"a":${nested(100_000)}}`]) {
    const { steps, text } = await drive(async ({ defTool, $ }) => {
      defTool('t', 'T', z.any(), () => { ran += 1; return 'ok'; });
      $`go`;
    }, [call('t', args), say('done')]);
    print([ran, valuesOf(steps[1])[0], text]);
  }
  for (const levels of [100, 1_000, 100_000]) {
    const { steps, text } = await drive(async ({ defTool, $ }) => {
      defTool('t', 'T', z.any(), () => {
        let value = 1;
        for (let level = 0; level < levels; level++) value = [value];
        return value;
      });
      $`go`;
    }, [call('t'), say('done')]);
    print([valuesOf(steps[1])[0].error ? 'error' : 'data', text]);
  }
};
