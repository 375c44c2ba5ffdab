// Settings of config.sandbox that cannot work, and fields there are not, are TypeErrors that name the field.

import { z } from 'zod';
import { failure, print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const refused = async (sandbox, field) => {
    const message = await failure(() => runCode(({ defFunction }) => {
      defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
    }, 'return 1;', { sandbox }));
    return message.startsWith('TypeError') && message.includes('config.sandbox') && message.includes(field);
  };
  print([await refused({ cpuMs: 0 }, 'cpuMs'), await refused({ memoryBytes: 5 }, 'memoryBytes'), await refused({ checkMs: 1e9 }, 'checkMs')]);
  print([await refused({ cpuMS: 100 }, 'cpuMS'), await refused({ memory: 100 }, 'memory')]);
};
