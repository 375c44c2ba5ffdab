// runToolCode cannot call methods, blocks cannot call functions, and methods alone make no tool.

import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(({ defMethod, defFunction, $ }) => {
    defMethod('method', 'M', z.object({}), () => 'method');
    defFunction('tool', 'T', z.object({}), () => 'function');
    $`go`;
  }, [code('return await tool({});'), code('return await method({});', 'c2'), say('<run_code>return await tool({});</run_code>')]);
  print([valuesOf(steps[1])[0].result, valuesOf(steps[2])[0].errors.map((error) => error.code)]);
  print([text.startsWith('<code_error>'), text.includes("'tool'"), steps.length]);
};
