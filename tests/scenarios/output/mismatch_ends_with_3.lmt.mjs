// A mock that never fits ends with 3; what did not fit, the answer and the option are named.
import { z } from 'zod';

export const config = { model: 'mock', options: { outputRetries: 1 } };
export const mock = [{ type: 'text', text: 'warm' }, { type: 'finish' }, { type: 'text', text: '{"celsius":"warm"}' }];
export const output = z.object({ celsius: z.number() });
export default async ({ $ }) => { $`How warm?`; };
