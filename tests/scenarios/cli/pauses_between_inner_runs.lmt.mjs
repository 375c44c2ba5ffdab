// Pauses between inner runs, and code that the host waits for, are not taken for a promise that nothing can settle.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const ask = async (code) => {
    const model = createMockModel([{ type: 'tool-call', toolName: 'runToolCode', args: { code } }, { type: 'text', text: 'ok' }]);
    const { result } = await runPrompt(async ({ defFunction, $ }) => {
      defFunction('rest', 'R', z.object({}), () => new Promise((done) => { setTimeout(done, 400); }));
      await null;
      $`go`;
    }, { model, sandbox: { cpuMs: 900 } });
    console.log(await result.text);
  };
  await ask('await rest({}); return 1;');
  await ask('for (;;) {}');
};
