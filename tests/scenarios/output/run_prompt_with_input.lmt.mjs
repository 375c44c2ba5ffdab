// runPrompt hands input to every run of a function; a module checks it by its own schema.
import { z } from 'zod';
import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { call, say, usersOf } from './helpers.mjs';
import * as other from './other.lmt.mjs';

export const config = { model: 'mock' };
export const mock = [say('done')];
const seen = [];
export default async ({ $ }) => {
  const inner = await runPrompt(({ defTool, $ }, input) => {
    seen.push(input);
    defTool('t', 'T', z.object({}), () => 1);
    $`x`;
  }, { model: createMockModel([call('t'), say('x')]), input: { a: 1 } });
  await inner.result.text;
  console.log(JSON.stringify(seen), seen[0] === seen[1]);
  const { result, prompt } = await runPrompt(other, { input: { city: 'Rome' } });
  console.log(JSON.stringify(await result.output), usersOf(prompt.steps[0]));
  const model = createMockModel([say('{"city":"of the call"}')]);
  console.log((await (await runPrompt(other, { model, input: { city: 'Rome' } })).result.output).city);
  const plain = {
    default: ({ $ }, input) => { $`${JSON.stringify(input)}`; },
    input: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'number', default: 3 } }, required: ['city'] },
  };
  const asked = await runPrompt(plain, { model: createMockModel([say('x')]), input: { city: 'Rome' } });
  console.log(await asked.result.text, usersOf(asked.prompt.steps[0])[0]);
  for (const input of [{ city: 5 }, undefined]) {
    await runPrompt(other, { input }).catch((error) => console.log(String(error)));
  }
  $`x`;
};
