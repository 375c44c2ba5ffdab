// The model gets the sub-agents and their arguments.

import { agent } from 'lmthing';
import { z } from 'zod';
import { drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = scripted(textTurn('ok'));
  await drive(async ({ defAgent, $ }) => {
    defAgent('team', 'A team', [agent('digger', 'Digs deep', z.object({ place: z.string() }), () => {}), agent('writer', 'Writes it up', z.object({ style: z.string() }), () => {})]);
    $`go`;
  }, model);
  const [t] = model.requests[0].tools;
  print(['A team', 'digger', 'Digs deep', 'writer', 'Writes it up'].map((s) => t.description.includes(s)));
  print(['"place"', '"style"', '"digger"', '"calls"'].map((s) => JSON.stringify(t.inputSchema).includes(s)));
};
