// A tool that returns nothing gives null.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('quiet', 'Q', z.object({}), () => {}); $`go`; }, [call('quiet'), say('ok')]);
  print(outputsOf(steps[1]));
};
