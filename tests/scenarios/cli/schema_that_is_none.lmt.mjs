// Fields without z.object are an error with a hint.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import { z } from 'zod';
export default ({ defTool, $ }) => {
  defTool('add', 'Adds', { a: z.number() }, () => 1);
};
