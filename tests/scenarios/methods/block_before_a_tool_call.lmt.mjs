// A block without a value before a tool call continues to the call; one with a value ends the answer, so that the call is never made.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defMethod, defTool, $ }) => {
    defMethod('note', 'Notes', z.object({ n: z.number() }), ({ n }) => { log.push(n); return n; });
    defTool('ping', 'Pings', z.object({}), () => { log.push('ping'); return 'pong'; });
    $`go`;
  };
  const on = await drive(define, [say('a<run_code>await note({ n: 1 });</run_code>b'), call('ping'), say('done')]);
  print([on.text, on.steps[0].output.content.map((part) => part.text ?? part.toolName), valuesOf(on.steps[1]), log.splice(0)]);
  const ends = await drive(define, [say('a<run_code>return await note({ n: 2 });</run_code>b'), call('ping'), say('done')]);
  print([ends.text, ends.steps.length, log]);
};
