// zod can be imported in each of its usual ways.

import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const all = await import('zod');
  print([all.z.string === all.string, all.default.object === all.z.object, typeof all.ZodError, all.z.object({ a: all.z.string() }).safeParse({ a: 1 }).success]);
};
