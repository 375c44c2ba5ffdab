// Shows a prompt file that is run by workers, on as many machines as there are: three steps, two tools, and somebody who says yes
// to large sums. Nothing in it is made for that. run.sh in this folder starts a server, two workers and a map over many rows.
//
//   lmthing run examples/scale/refunds.lmt.mjs 17 --euros 30
//   examples/scale/run.sh --kill

import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

export const description = 'Looks at a complaint about an order and pays the money back.';

export const input = z.object({
  order: z.number().int().describe('The number of the order'),
  euros: z.number().describe('What it cost'),
});

export const config = { model: 'mock' };

export const mock = [
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'lookUp', args: {} },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'refund', args: { reason: 'it arrived broken' } },
  { type: 'text', text: 'I have seen to it.' },
];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default ({ defTool, $ }, { order, euros }) => {
  defTool('lookUp', 'Says what was ordered.', z.object({}), async () => {
    await wait(200);
    return { order, item: 'a lamp', euros };
  });

  defTool(
    'refund',
    'Pays the money back.',
    z.object({ reason: z.string() }),
    async () => {
      await wait(200);
      // What stands for the bank here: a line for each payment.
      if (process.env.REFUNDS) appendFileSync(process.env.REFUNDS, `${order}\n`);
      return { paid: euros };
    },
    { needsApproval: () => euros > 500 },
  );

  $`The lamp of order ${order} arrived broken. Look at the order and pay the money back.`;
};
