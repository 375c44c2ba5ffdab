// `repeat` is true or false, wherever something that the model calls is defined; it is no call setting of an agent's child.

import { agent, tool } from 'lmthing';
import { func } from 'lmthing/plugins';
import { z } from 'zod';

export const config = { model: 'mock' };
export const mock = [
  { type: 'tool-call', toolCallId: '1', toolName: 'a', args: {} },
  { type: 'text', text: 'child' },
  { type: 'finish' },
  { type: 'text', text: 'done' },
];

export default ({ defTool, defAgent, defFunction, defFunctionAgent, defMethod, $ }) => {
  const schema = z.object({});
  const wrong = [
    () => defTool('t', '', schema, () => 1, { repeat: 'no' }),
    () => defTool('t', '', [tool('sub', '', schema, () => 1, { repeat: 0 })]),
    () => defAgent('a', '', schema, () => {}, { repeat: [] }),
    () => defAgent('a', '', [agent('sub', '', schema, () => {}, { repeat: 'no' })]),
    () => defFunction('f', '', schema, () => 1, { repeat: 'no' }),
    () => defFunction('f', '', [func('sub', '', schema, () => 1, { repeat: 'no' })]),
    () => defFunctionAgent('g', '', schema, () => {}, { repeat: 1 }),
    () => defMethod('m', '', schema, () => 1, { repeat: 'no' }),
  ];
  for (const define of wrong) {
    try {
      define();
      console.log('no error');
    } catch (error) {
      console.log(`${error.name}: ${error.message}`);
    }
  }
  for (const repeat of [true, false, undefined, null]) {
    defTool('t', '', schema, () => 1, { repeat });
    defAgent('a', '', schema, (_, child) => child.$`go`, { repeat });
    defFunction('f', '', schema, () => 1, { repeat });
    defMethod('m', '', schema, () => 1, { repeat });
  }
  $`go`;
};
