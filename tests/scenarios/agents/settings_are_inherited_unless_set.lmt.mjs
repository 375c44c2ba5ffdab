// Settings come from the parent unless the agent sets them.

import { z } from 'zod';
import { call, drive, print, say, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const kidModel = scripted(textTurn('y'), textTurn('y'));
  await drive(async ({ defAgent, $ }) => {
    defAgent('same', 'S', z.object({}), (args, c) => { c.$`x`; }, { model: kidModel });
    defAgent('own', 'O', z.object({}), (args, c) => { c.$`x`; }, { model: kidModel, temperature: 0.9 });
    $`go`;
  }, [call('same'), call('own', {}, 'c2'), say('ok')], { options: { temperature: 0.1, maxOutputTokens: 50 } });
  print(kidModel.requests.map((r) => [r.temperature, r.maxOutputTokens]));
};
