// Agents called in one step run at the same time; results are in call order.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { callTurn, drive, print, say, scripted, textTurn, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const kid = (name, delay) => ({ model: createMockModel([say(name)], { delay }) });
  const { steps } = await drive(async ({ defAgent, $ }) => {
    const cb = (name) => (a, c) => { log.push('start ' + name); c.defEffect(() => () => { log.push('end ' + name); }, []); c.$`x`; };
    defAgent('slow', 'S', z.object({}), cb('slow'), kid('tortoise', 60));
    defAgent('fast', 'F', z.object({}), cb('fast'), kid('hare', 1));
    $`go`;
  }, scripted(callTurn(['slow', {}, 'a'], ['fast', {}, 'b']), textTurn('ok')));
  print([log, valuesOf(steps[1])]);
};
