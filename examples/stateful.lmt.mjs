// Shows what a prompt does between steps. Before every step after the first one the function runs again, so what it
// defines follows the state:
//
// - defState keeps a value from step to step, as in React
// - defEffect runs before a step's request; here it watches the state and, on the last step, changes what is sent
// - `stepModifier` changes this one step only
// - a tool that is not defined again is gone
//
//   lmthing run examples/stateful.lmt.mjs

import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'note', args: { text: 'the sky is blue' } },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'note', args: { text: 'grass is green' } },
  { type: 'text', text: 'I have noted two things.\n' },
];

const LIMIT = 2;

/** @type {import('lmthing').PromptFunction} */
export default async ({ def, defState, defEffect, defTool, $ }) => {
  const [notes, setNotes] = defState('notes', []);
  def('NOTE_COUNT', notes.length);

  if (notes.length < LIMIT) {
    defTool('note', 'Notes one fact.', z.object({ text: z.string() }), ({ text }) => {
      setNotes((before) => [...before, text]);
      return 'noted';
    });
  }

  // No dependencies: runs before every step.
  defEffect(({ stepNumber, tools, lastTool }) => {
    const last = lastTool ? `${lastTool.toolName}: ${lastTool.args.text}` : 'nothing yet';
    console.log(`step ${stepNumber}: ${tools.length} tool(s), last: ${last}`);
  });

  // Runs when the number of notes changed; the clean-up runs before the next time and at the end.
  defEffect(
    (context, stepModifier) => {
      if (notes.length === LIMIT) {
        stepModifier('systems', [{ name: 'wrap_up', value: `Sum up: ${notes.join('; ')}.` }]);
      }
      return () => console.log(`clean-up after ${notes.length} note(s)`);
    },
    [notes.length],
  );

  $`Note two facts, then stop.`;
};
