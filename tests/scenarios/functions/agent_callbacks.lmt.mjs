// Callbacks of function agents are known options: beforeCall spares the model, onSuccess replaces the answer, onError answers.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { print, runCode, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const responseSchema = z.object({ size: z.number() });
  const { result } = await runCode(({ defFunctionAgent }) => {
    defFunctionAgent('measure', 'M', z.object({ id: z.number() }), ({ id }, child) => { log.push(`asked ${id}`); child.$`m`; }, {
      model: createMockModel([say('{"size": 2}'), { type: 'finish' }, say('big')]),
      responseSchema,
      beforeCall: ({ id }) => (id === 0 ? { size: 0 } : undefined),
      onSuccess: ({ id }, { size }) => { log.push(`success ${id}`); return { size: size * 10 }; },
      onError: ({ id }, { error }) => { log.push(`error ${id} ${error.includes('measure')}`); return { size: -1 }; },
    });
  }, 'return [(await measure({ id: 0 })).size, (await measure({ id: 1 })).size, (await measure({ id: 2 })).size];');
  print([result, log]);
};
