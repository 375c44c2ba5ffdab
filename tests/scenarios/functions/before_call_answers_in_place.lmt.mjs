// What beforeCall answers is the value in code, null and false too; execute and onSuccess are skipped, undefined proceeds.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const answers = { none: null, no: false, zero: 0 };
  const { result } = await runCode(({ defFunction }) => {
    defFunction('find', 'Finds', z.object({ id: z.string() }), ({ id }) => { log.push(`execute ${id}`); return id; }, {
      beforeCall: async ({ id }) => answers[id],
      onSuccess: (input, output) => { log.push(`success ${output}`); },
    });
  }, 'return [await find({ id: "none" }), await find({ id: "no" }), await find({ id: "zero" }), await find({ id: "other" })];');
  print([result, log]);
};
