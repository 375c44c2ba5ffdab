// Code gets a function agent's answer parsed and typed by responseSchema, a fenced one too; without a schema it is the text.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { print, runCode, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunctionAgent }) => {
    const responseSchema = z.object({ size: z.number() });
    const model = (text) => createMockModel([say(text)]);
    defFunctionAgent('measure', 'M', z.object({ at: z.string() }), (args, c) => { c.$`m`; }, { responseSchema, model: model('{"size": 2}') });
    defFunctionAgent('fenced', 'F', z.object({}), (args, c) => { c.$`f`; }, { responseSchema, model: model('```json\n{"size": 3}\n```') });
    defFunctionAgent('tell', 'T', z.object({}), (args, c) => { c.$`t`; }, { model: model('{"size": 4}') });
  };
  print((await runCode(define, 'return [(await measure({ at: "sea" })).size + (await fenced({})).size, await tell({})];')).result);
  print((await runCode(define, 'return (await measure({ at: "sea" })).weight;')).errors.map(({ line, code }) => [line, code]));
  print((await runCode(define, 'return await measure({ at: 1 });')).errors.map(({ line, code }) => [line, code]));
};
