// A block with type or syntax errors is not run: <code_error> names line and message in its place, and the answer ends there.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defMethod }) => defMethod('find', 'Finds', z.object({ id: z.string() }), ({ id }) => { log.push(id); return id; }, z.string());
  const answer = async (source) => {
    const text = await answerTo(define, `So: <run_code>${source}</run_code> and more`);
    return text.match(/^So: <code_error>(.*)<\/code_error>$/s)?.[1] ?? text;
  };
  const wrong = await answer('await find({ id: "1" });\nreturn await find({ id: 2 });');
  print([wrong.includes('line 2'), wrong.includes('2322'), wrong.includes("Type 'number' is not assignable to type 'string'")]);
  const unknown = await answer('return await lose({});');
  const broken = await answer('const = 1;');
  print([unknown.includes("'lose'"), broken.includes('line 1'), log]);
};
