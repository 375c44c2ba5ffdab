// A child prompt has functions of its own: its model runs code with them, the parent knows nothing of them.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { code, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defAgent, defFunction, $ }) => {
    defFunction('outer', 'Of the parent', z.object({}), () => 'outer');
    defAgent('kid', 'K', z.object({}), (args, child) => {
      child.defFunction('inner', 'Of the child', z.object({ n: z.number() }), ({ n }) => n * 2, { responseSchema: z.number() });
      child.$`count`;
    }, { model: createMockModel([code('return await inner({ n: 21 });'), code('return await outer({});', 'c2'), say('done')]) });
    $`go`;
  }, [{ type: 'tool-call', toolCallId: 'k', toolName: 'kid', args: {} }, say('ok')]);
  const { output, agentSteps } = steps[1].input.prompt.at(-1).content[0];
  const values = agentSteps.slice(1).map((step) => step.input.prompt.at(-1).content[0].output.value);
  print([output.value, values[0], values[1].errors.map((error) => error.code)]);
  const shown = (step) => ['function outer', 'function inner'].map((text) => systemOf(step).includes(text));
  print([shown(steps[0]), shown(agentSteps[0]), steps[0].activeTools, agentSteps[0].activeTools]);
};
