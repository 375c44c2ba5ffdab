// The steps of the agents that code called are on the result of runToolCode; the parent's steps hold its own calls only.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, code, drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunctionAgent, $ }) => {
    defFunctionAgent('look', 'Looks', z.object({ at: z.string() }), ({ at }, child) => {
      child.defTool('zoom', 'Z', z.object({}), () => 'near');
      child.$`Look at the ${at}.`;
    }, { model: createMockModel([call('zoom', {}, 'z1'), say('grey'), { type: 'finish' }, say('blue')]) });
    $`go`;
  }, [code('return [await look({ at: "sea" }), await look({ at: "sky" })];'), say('ok')]);
  const part = steps[1].input.prompt.at(-1).content[0];
  print([part.output.value.result, part.agentSteps.length, part.agentSteps.map((step) => usersOf(step)[0])]);
  print([steps.length, steps.flatMap(({ output }) => output.content.map(({ toolName, text }) => toolName ?? text))]);
};
