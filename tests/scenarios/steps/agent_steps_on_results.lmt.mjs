// A result an agent produced carries the child's steps as agentSteps; parent steps hold parent calls only.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { c.defTool('inner', 'I', z.object({}), () => 'i'); c.$`child question`; },
      { model: createMockModel([call('inner', {}, 'x'), say('child answer')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  const part = steps[1].input.prompt.at(-1).content[0];
  print([steps.length, part.agentSteps.length, part.agentSteps[0].output.content[0].toolName, part.agentSteps[1].output.content[0].text, part.output]);
  print(steps.flatMap((s) => s.output.content.filter((p) => p.type === 'tool-call').map((p) => p.toolName)));
};
