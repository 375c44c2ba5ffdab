// Settings of config.sandbox of the wrong kind are TypeErrors that name the field.

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
  print([await refused({ cpuMs: '5 s' }, 'cpuMs'), await refused({ resultBytes: 1.5 }, 'resultBytes'), await refused({ hostCalls: -1 }, 'hostCalls')]);
  print([await refused({ check: 'loose' }, 'check'), await refused({ consoleBytes: true }, 'consoleBytes'), await refused(5, '')]);
};
