// A mock model has a provider and a model id.

import { createMockModel } from 'lmthing/test';
import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([]);
  print([typeof model.provider, typeof model.modelId, model.provider.length > 0]);
};
