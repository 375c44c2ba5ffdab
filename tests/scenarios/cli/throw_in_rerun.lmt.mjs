// An error in a re-run keeps the streamed text and ends with code 1.

import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Already said. ' }, { type: 'tool-call', toolCallId: 'c', toolName: 'p', args: {} }, { type: 'text', text: 'never' }];
let runs = 0;
export default ({ defTool, $ }) => {
  defTool('p', 'P', z.object({}), () => 1);
  if (runs++ === 1) {
    throw new Error('second run went wrong');
  }
  $`x`;
};
