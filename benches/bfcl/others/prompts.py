"""The files that lmthing and promptfoo run: one sentence, tool steps, rows."""

import json

SENTENCE = """
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello there.' }];
export default async ({ $ }) => { $`go`; };
"""

STEPS = """
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [];
for (let i = 0; i < 999; i++) mock.push({ type: 'tool-call', toolCallId: `c${i}`, toolName: 'count', args: { by: 1 } });
mock.push({ type: 'text', text: 'Hello there.' });
let sum = 0;
const schema = z.object({ by: z.number() });
export default async ({ defTool, $ }) => {
  defTool('count', 'Counts.', schema, ({ by }) => ({ sum: (sum += by) }));
  $`go`;
};
"""

ROWS = """
import { z } from 'zod';
export const input = z.object({ name: z.string() });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello there.' }];
export default async ({ $ }, { name }) => { $`Say hello to ${name}.`; };
"""


def write(folder):
    """Writes all files into a folder."""
    for name, text in [('sentence', SENTENCE), ('steps', STEPS), ('rows', ROWS)]:
        folder.joinpath(f'{name}.lmt.mjs').write_text(text)
    rows = [{'name': f'name {number}'} for number in range(1000)]
    folder.joinpath('rows.jsonl').write_text(''.join(json.dumps(row) + '\n' for row in rows))
    for count in (1, 1000):
        tests = [{'vars': row} for row in rows[:count]]
        config = {'prompts': ['Say hello to {{name}}.'], 'providers': ['echo'], 'tests': tests}
        folder.joinpath(f'promptfoo{count}.json').write_text(json.dumps(config))
