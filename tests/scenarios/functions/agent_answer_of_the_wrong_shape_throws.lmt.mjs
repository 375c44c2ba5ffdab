// An answer that does not match responseSchema is thrown in code and names the agent; the agent's steps are recorded.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunctionAgent, $ }) => {
    const options = (text) => ({ responseSchema: z.object({ size: z.number() }), model: createMockModel([say(text)]) });
    defFunctionAgent('measure', 'Measures', z.object({}), (args, child) => { child.$`m`; }, options('{"size": "big"}'));
    defFunctionAgent('weigh', 'Weighs', z.object({}), (args, child) => { child.$`w`; }, options('heavy'));
    $`go`;
  }, [
    code('return await measure({}).catch((error: Error) => error.message);'),
    code('const weight = await weigh({});\nreturn weight.size;', 'c2'),
    say('ok'),
  ]);
  const [caught, thrown] = [valuesOf(steps[1])[0], valuesOf(steps[2])[0]];
  print([caught.success, caught.result.includes('measure'), caught.result.includes('size')]);
  print([thrown.success, thrown.error.includes('weigh'), thrown.message.includes('line 1')]);
  print(steps[2].input.prompt.at(-1).content[0].agentSteps.map(({ output }) => output.content[0].text));
};
