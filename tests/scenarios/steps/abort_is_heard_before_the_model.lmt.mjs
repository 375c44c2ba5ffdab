// A run whose abortSignal is aborted ends at once with an AbortError, a mock model or not.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const ask = async (before) => {
    const controller = new AbortController();
    if (before) controller.abort();
    const model = createMockModel([{ type: 'tool-call', toolName: 'stop', args: {} }, { type: 'text', text: 'never' }]);
    const { result } = await runPrompt(async ({ defTool, $ }) => {
      defTool('stop', 'S', z.object({}), () => { controller.abort(); return 1; });
      $`go`;
    }, { model, options: { abortSignal: controller.signal, onFinish: () => { console.log('finished'); } } });
    console.log(await result.text.catch((error) => error.name));
  };
  await ask(true);
  await ask(false);
};
