// `instructions`, `onStepEnd`, `onEnd` and `isStepCount` are other names of options and exports, for agents too.

import { isStepCount, runPrompt, stepCountIs } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { call, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const options = {
    instructions: 'Be brief', stopWhen: isStepCount(2),
    onStepEnd: (step) => { seen.push(`step ${step.stepNumber}`); }, onEnd: ({ steps }) => { seen.push(`end ${steps.length}`); },
  };
  const { result, prompt } = await runPrompt(({ defTool, defAgent, $ }) => {
    defTool('t', 'T', { type: 'object' }, () => 1);
    defAgent('a', 'A', { type: 'object' }, (_, { $ }) => { $`x`; }, { instructions: 'As a child' });
    $`go`;
  }, { model: createMockModel([call('a'), say('child'), { type: 'finish' }, call('t'), say('never')]), options });
  await result.text;
  print([systemOf(prompt.steps[0]), seen, stepCountIs(1)({ steps: [1] })]);
  const [agent] = prompt.steps[1].input.prompt.at(-1).content;
  print(systemOf(agent.agentSteps[0]));
  for (const unset of [{ system: undefined, instructions: 'a' }, { instructions: 'a', system: null }]) {
    const { result, prompt } = await runPrompt(({ $ }) => { $`x`; }, { model: createMockModel([say('')]), options: unset });
    await result.text;
    print(systemOf(prompt.steps[0]));
  }
  const both = runPrompt(({ $ }) => { $`x`; }, { model: createMockModel([]), options: { system: 'a', instructions: 'b' } });
  await both.catch((error) => print(`${error.name}: ${error.message}`));
};
