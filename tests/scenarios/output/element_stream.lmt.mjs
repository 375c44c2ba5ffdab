// Each element once, when it is complete, with the transforms of its schema. After a mismatch only elements that were not
// given before; where the output is no list, a TypeError.
import { z } from 'zod';
import { runPrompt } from 'lmthing';
import { inPieces, printAll } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [];
const ask = ({ $ }) => { $`x`; };
export default async () => {
  const run = async (output, ...answers) => (await runPrompt(ask, { model: inPieces(answers), output })).result;
  let validated = 0;
  const element = z.object({ n: z.number().refine((n) => { validated += 1; return n !== 13; }) }).transform(({ n }) => n * 10);
  const list = z.array(element).min(2).readonly();

  let result = await run(list, [...'```\n[{"n":1}, {"n":2}, {"n":2}]\n```']);
  await printAll(result.elementStream);
  console.log(JSON.stringify(await result.output), validated);

  validated = 0;
  result = await run(z.array(element).min(1), [...'[{"n":1}, {"n":2}, {"n":2}]']);
  await Promise.all([printAll(result.elementStream), printAll(result.elementStream)]);
  console.log(JSON.stringify(await result.output), validated);

  result = await run(list, ['[{"n":1},{"n":13},{"n":3}]'], ['[{"n":1},{"n":1}', ',{"n":3}]']);
  await printAll(result.elementStream);
  console.log(JSON.stringify(await result.output));

  result = await run(z.array(z.string()).transform((words) => words.join('-')), ['["a",', '"b"', ',]']);
  await printAll(result.elementStream);
  console.log(await result.output);

  result = await run({ type: 'array', items: { type: 'number' }, minItems: 2 }, ['[1,"2"]'], ['[1', '2,2]'], ['[1,2,3]']);
  await printAll(result.elementStream);
  console.log(JSON.stringify(await result.output));

  const validate = (value) => (Array.isArray(value) && value.length < 2 ? { issues: [{ message: 'too short' }] } : { value });
  result = await run({ '~standard': { version: 1, vendor: 'lab', validate } }, ['[1', ',"b"]']);
  await printAll(result.elementStream);
  result = await run(z.tuple([z.string(), z.coerce.number()]), ['["a","7"]']);
  await printAll(result.elementStream);
  result = await run(z.object({ list: z.array(z.string()) }), ['{"list":["a"]}']);
  await printAll(result.elementStream);
};
