// The description lists the sub-tools; the schema describes the known ones.

import { tool } from 'lmthing';
import { z } from 'zod';
import { drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = scripted(textTurn('ok'));
  await drive(async ({ defTool, $ }) => {
    defTool('files', 'File work', [
      tool('read', 'Reads a file', z.object({ path: z.string() }), () => 1),
      tool('write', 'Writes a file', z.object({ body: z.string() }), () => 1),
    ]);
    $`go`;
  }, model);
  const [t] = model.requests[0].tools;
  const schema = JSON.stringify(t.inputSchema);
  print(['File work', 'read', 'Reads a file', 'write', 'Writes a file'].map((s) => t.description.includes(s)));
  print(['calls', '"read"', '"write"', '"path"', '"body"', '"args"', '"name"'].map((s) => schema.includes(s)));
};
