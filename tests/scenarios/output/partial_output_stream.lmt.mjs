// Values that grow: only texts do, numbers appear whole, no half surrogate, no value twice; enums and texts that the schema
// refuses wait. Fences stream too. After a mismatch the new answer follows. Without output it rejects with a TypeError.
import { z } from 'zod';
import { runPrompt } from 'lmthing';
import { inPieces, printAll } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [];
const ask = ({ $ }) => { $`x`; };
export default async () => {
  const output = z.object({ name: z.string().min(1), age: z.int().optional(), kind: z.enum(['red', 'blue']).optional() });
  const run = async (...answers) => (await runPrompt(ask, { model: inPieces(answers), output })).result;

  let result = await run([...'{"name": "\\ud83d\\ude00é", "age": 42, "kind": "red"}']);
  await printAll(result.partialOutputStream);
  console.log((await result.output).age);

  result = await run([...'For [1] and {this}:\n```json\n{"name":"A"}\n```\nDone.']);
  await printAll(result.partialOutputStream);

  result = await run(['{"name":"A","age":', '"old"}'], ['{"name":"B', 'o","age":1}']);
  const [one, two] = [result.partialOutputStream, result.partialOutputStream];
  await printAll(one);
  await printAll(two);
  await one.return();
  console.log((await one.next()).done, (await result.partialOutputStream.getReader().read()).value.name);

  result = (await runPrompt(ask, { model: inPieces([['{"name":"A"', ', "age": 1,}']]), output })).result;
  await printAll(result.partialOutputStream);

  result = (await runPrompt(ask, { model: inPieces([['{"name":1}']]), output, options: { outputRetries: 0 } })).result;
  await printAll(result.partialOutputStream);
  result = (await runPrompt(ask, { model: inPieces([['{"name":"A"}']]) })).result;
  await printAll(result.partialOutputStream);
  await printAll(result.elementStream);
  result = (await runPrompt(ask, { model: inPieces([['"a', 'b"']]), output: z.string() })).result;
  await printAll(result.partialOutputStream);
};
