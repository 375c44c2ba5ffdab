// A child prompt has methods of its own; the value in the answer of its model is what the parent gets.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({ n: z.number() }), ({ n }, child) => {
      child.defMethod('twice', 'Doubles', z.object({ n: z.number() }), (args) => args.n * 2, z.number());
      child.$`double ${String(n)}`;
    }, { model: createMockModel([say('It is <run_co'), say('de>return await twice({ n: 21 });</run_code>.')]) });
    $`go`;
  }, [call('kid', { n: 21 }), say('<run_code>return 1;</run_code>')]);
  const { agentSteps } = steps[1].input.prompt.at(-1).content[0];
  print([valuesOf(steps[1])[0], systemOf(agentSteps[0]).includes('function twice'), systemOf(steps[0]).includes('twice')]);
  print(steps[1].output.content[0].text);
};
