// Blocks in reasoning are left alone; those in text after it are run.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const { text, steps } = await drive(({ defMethod, $ }) => {
    defMethod('note', 'Notes', z.object({ n: z.number() }), ({ n }) => { log.push(n); return n; });
    $`go`;
  }, [{ type: 'reasoning', text: 'I try <run_code>return await note({ n: 1 });</run_code>' }, say('So <run_code>return await note({ n: 2 });</run_code>')]);
  print([text, log, steps[0].output.content.find((part) => part.type === 'reasoning').text.includes('</run_code>')]);
};
