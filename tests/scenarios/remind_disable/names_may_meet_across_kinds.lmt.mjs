// A tool and a variable may have the same name; disabling one leaves the other.

import { z } from 'zod';
import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, defTool, $ }) => {
    def('same', 'v'); defSystem('same', 's'); defTool('same', 't', z.object({}), () => 1).disable();
    $`go`;
  }, [say('ok')]);
  print([systemOf(steps[0]), steps[0].activeTools]);
};
