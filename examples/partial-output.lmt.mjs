// Shows an answer while it comes: the steps of a recipe are printed one by one, before the model has written the last.
//
//   lmthing run examples/partial-output.lmt.mjs

import { runPrompt } from 'lmthing';
import { z } from 'zod';

const recipe = z.object({ name: z.string(), steps: z.array(z.object({ what: z.string(), minutes: z.number() })) });

export const config = { model: 'mock' };

export const mock = [
  { type: 'text', text: '{"name": "Pancakes", "steps": [{"what": "Mix the bat' },
  { type: 'text', text: 'ter", "minutes": 10}, {"what": "Let it re' },
  { type: 'text', text: 'st", "minutes": 30}, {"what": "Bake", "minutes": 20}]}' },
  { type: 'finish' },
  { type: 'text', text: 'Let it rest overnight.' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ $ }) => {
  const write = ({ $ }) => {
    $`How do I make pancakes?`;
  };
  const { result } = await runPrompt(write, { model: 'mock', output: recipe });
  let shown = 0;
  for await (const { name, steps = [] } of result.partialOutputStream) {
    // A step with its minutes is complete, as they come last and numbers appear whole.
    for (const { what, minutes } of steps.slice(shown)) {
      if (minutes === undefined) break;
      shown += 1;
      console.log(`${name}, step ${shown}: ${what}, ${minutes} min`);
    }
  }
  const { steps } = await result.output;
  $`Which of these ${shown} steps needs more time? ${steps.map((step) => step.what).join(', ')}`;
};
