// Options of the wrong kind are TypeErrors that name the agent.

import { agent } from 'lmthing';
import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defAgent, $ }) => {
    const tries = [
      () => defAgent('kid', 'K', z.object({}), () => {}, 'options'),
      () => defAgent('kid', 'K', z.object({}), () => {}, { responseSchema: 5 }),
      () => defAgent('kid', 'K', ['x']),
      () => agent('kid', 'K', z.object({})),
    ];
    print(tries.map((t) => { try { t(); return 'none'; } catch (e) { return [e.name, e.message.includes('kid')]; } }));
    $`go`;
  }, [say('ok')]);
};
