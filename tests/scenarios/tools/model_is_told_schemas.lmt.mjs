// The model gets name, description and JSON Schema of a tool; the response schema is part of the description.

import { z } from 'zod';
import { drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = scripted(textTurn('ok'));
  await drive(async ({ defTool, $ }) => {
    defTool('add', 'Adds numbers', z.object({ a: z.number().describe('left') }), () => 1, { responseSchema: z.object({ sumOfAll: z.number() }) });
    $`go`;
  }, model);
  const [t] = model.requests[0].tools;
  print([t.type, t.name, t.description.startsWith('Adds numbers'), t.description.includes('sumOfAll'), t.inputSchema.type, t.inputSchema.properties.a, t.inputSchema.required]);
};
