// An agent whose model fails is an error in the code; the run continues.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(({ defFunctionAgent, $ }) => {
    const model = createMockModel([{ type: 'error', error: 'the wire is cut' }]);
    defFunctionAgent('ask', 'Asks', z.object({}), (args, child) => { child.$`a`; }, { model });
    defFunctionAgent('broken', 'Broken', z.object({}), () => { throw new Error('no set-up'); }, { model });
    $`go`;
  }, [
    code('try { return await ask({}); } catch (error) { return (error as Error).message.includes("the wire is cut"); }'),
    code('return await broken({});', 'c2'),
    say('went on'),
  ]);
  const [caught, thrown] = [valuesOf(steps[1])[0], valuesOf(steps[2])[0]];
  print([caught.result, thrown.success, thrown.error, text]);
};
