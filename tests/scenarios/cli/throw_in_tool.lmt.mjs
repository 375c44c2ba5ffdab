// An error in a tool goes to the model; the run ends well.

import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolCallId: 'c', toolName: 'p', args: {} }, { type: 'text', text: 'went on' }];
export default ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => { throw new Error('tool trouble'); }); $`x`; };
