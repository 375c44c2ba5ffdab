// Shows a plugin of your own: an object of functions, called with the prompt as `this`. Each becomes a method of every
// prompt of the run, agents' child prompts included, and may use all the others: here defState, defTool and defSystem.
//
//   lmthing run examples/custom-plugin.lmt.mjs

import { z } from 'zod';

/** @satisfies {import('lmthing').Plugin} */
const budgetPlugin = {
  /** `defBudget(limit)`: a tool `spend` that stays within the limit, and a section that says what is left. */
  defBudget(limit) {
    const [spent, setSpent] = this.defState('budget', 0);
    this.defSystem('budget', `You may still spend ${limit - spent} of ${limit} coins.`);
    this.defTool('spend', 'Spends coins.', z.object({ coins: z.number().int().positive() }), ({ coins }) => {
      if (spent + coins > limit) throw new Error(`only ${limit - spent} coins are left`);
      setSpent(spent + coins);
      return { left: limit - spent - coins };
    });
    return { spent, left: limit - spent };
  },
};

export const config = { model: 'mock', plugins: [budgetPlugin] };

export const mock = [
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'spend', args: { coins: 7 } },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'spend', args: { coins: 7 } },
  { type: 'text', text: 'I bought one thing; a second one is too dear.' },
];

/** @type {import('lmthing').PromptFunction<typeof budgetPlugin>} */
export default async ({ defBudget, defEffect, $ }) => {
  const { left } = defBudget(10);
  defEffect(({ stepNumber, lastTool }) => {
    console.log(`step ${stepNumber}: ${left} coins left${lastTool?.output.error ? ` (${lastTool.output.error})` : ''}`);
  });
  $`Buy two things for 7 coins each.`;
};
