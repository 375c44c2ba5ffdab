// A function that is hidden on a step is neither shown nor callable on it; the next step has it back.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const code = (toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'runToolCode', args: { code: 'return await secret({});' } });

export default async ({ $ }) => {
  $`scenario`;
  const { result, prompt } = await runPrompt(async ({ defFunction, defEffect, $ }) => {
    const secret = defFunction('secret', 'Tells', z.object({}), async () => 'told', { responseSchema: z.string() });
    defFunction('open', 'Opens', z.object({}), async () => 'open', { responseSchema: z.string() });
    defEffect(({ stepNumber }) => { if (stepNumber === 0) secret.disable(); });
    $`go`;
  }, { model: createMockModel([code('c1'), code('c2'), { type: 'text', text: 'ok' }]) });
  await result.text;
  const shown = (step) => step.input.prompt[0].content.includes('function secret');
  const value = (step) => step.input.prompt.at(-1).content[0].output.value;
  const [first, second, third] = prompt.steps;
  console.log(JSON.stringify([shown(first), value(second).success, value(second).errors?.[0].code, shown(second), value(third)]));
};
