// Whatever JSON.parse accepts is accepted, and read as it reads it.

import { z } from 'zod';
import { tool } from 'lmthing';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const any = z.any();
const asJsonSchema = { type: 'object', properties: { text: { type: 'string' } } };

const run = async (schema, args) => {
  const { steps, text, result } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', schema, (args) => {
      print(['execute', args, args.n === Infinity, Object.is(args.zero, -0)]);
      return args.text ?? null;
    });
    $`go`;
  }, [call('t', args), say('done')]);
  const [step] = await result.steps;
  print([valuesOf(steps[1])[0], steps[0].output.content[0].input, step.toolResults[0].input, text]);
};

export default async ({ $ }) => {
  $`scenario`;
  await run(z.object({ text: z.string() }), '{"text":"\\ud800"}');
  await run(asJsonSchema, '{"text":"\\udc00\\ud83d\\ude00"}');
  await run(any, { text: 'as a value \ud800' });
  await run(any, ' { "n": 1e999, "zero": -0, "\\ud800": "\\/\\u0000" }\n');
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('many', 'M', [tool('one', 'O', z.object({ text: z.string() }), ({ text }) => print(text))]);
    $`go`;
  }, [call('many', '{"calls":[{"name":"one","args":{"text":"\\udfff"}}]}'), say('done')]);
  print(valuesOf(steps[1])[0]);
};
